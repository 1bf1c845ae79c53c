"""Several trees of one search, one for each thread, which exchange their news at fixed numbers of iterations.

A shared tree cannot pay here: an iteration takes 90 ns, and handing a cache line to another core takes 44.

After every ``interval`` iterations a member tells its news (``tree/exchange.pyx``) and hears what the others told one
interval before. Because it is one behind, it seldom has to wait. What it hears depends on the numbers of iterations
only, so the same seed, threads and iterations give the same result. In a search by time no member waits.

Each member writes only its own boxes. It publishes a box by raising ``told``, and writes it again BOXES messages later:
by then the others have heard it, because the writer has heard what they told after that.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from mcts_core.platform cimport mcts_clock, mcts_flag_read, mcts_publish, mcts_published, mcts_wait
from mcts_core.tree.exchange cimport hear, known_free, tell, words_free
from mcts_core.tree.tree cimport RUN_DONE, RUN_SOLVED, Tree, spent_of
from mcts_core.game cimport mcts_interrupt, mcts_raised
from mcts_core.tree.view cimport has_root


cdef enum:
    LEAST = 32                   # the news of a block is worth telling from 1 / LEAST of an interval on
    SHARE = 2048                 # or from 1 / SHARE of the tree's visits on, where that is more
    LOOK = 64                    # waits between two looks at whether the search has to end


cdef Team *team_create(uint32_t count, uint32_t known_words) noexcept nogil:
    cdef Team *team = <Team *>calloc(1, sizeof(Team))
    cdef uint32_t i, box
    if team == NULL:
        return NULL
    team.members = <Member *>calloc(count, sizeof(Member))
    if team.members == NULL:
        free(team)
        return NULL
    team.count = count
    for i in range(count):
        team.members[i].known.words.limit = known_words
        for box in range(<uint32_t>BOXES):
            team.members[i].boxes[box].limit = 0xFFFFFFFF  # a message must not be lost; it is small
    return team


cdef void team_destroy(Team *team) noexcept nogil:
    cdef uint32_t i, box
    if team == NULL:
        return
    for i in range(team.count):
        known_free(&team.members[i].known)
        for box in range(<uint32_t>BOXES):
            words_free(&team.members[i].boxes[box])
        if i and team.members[i].tree != NULL:
            team.members[i].tree.ops.destroy(team.members[i].tree)
    free(team.members)
    free(team)


cdef int32_t is_over(void *context) noexcept nogil:
    """What exact search asks in the threads beside the first one."""
    cdef const Team *team = <const Team *>context
    return mcts_flag_read(&team.stop) or mcts_clock() >= team.deadline


cdef void team_begin(Team *team, uint32_t limit, uint32_t interval, bint repeatable, double deadline,
                     mcts_interrupt interrupt) noexcept nogil:
    cdef uint32_t i
    cdef Member *member
    team.interval = interval
    team.repeatable = repeatable
    team.stop = 0
    team.deadline = deadline
    team.interrupt = interrupt
    for i in range(team.count):
        member = &team.members[i]
        memset(member.heard, 0, sizeof(member.heard))
        member.told = member.ended = member.iterations = 0
        member.limit = limit // team.count + (i < limit % team.count)
        member.next = interval
        member.status = RUN_DONE
        if i:
            member.tree.interrupt.raised = is_over
            member.tree.interrupt.context = team


cdef inline uint32_t least_news(const Team *team, const Tree *tree) noexcept nogil:
    cdef uint32_t share = (tree.reused + tree.iterations) // SHARE, least = team.interval // LEAST
    return share if share > least else least


cdef bint has_room(const Team *team, uint32_t number) noexcept nogil:
    """Whether all have heard what stands in the box that is to be written next."""
    cdef const Member *member = &team.members[number]
    cdef uint32_t other
    if member.told < BOXES:
        return True
    for other in range(team.count):
        if other == number or (other and mcts_published(&team.members[other].ended)):
            continue
        if mcts_published(&team.members[other].heard[number]) + BOXES <= member.told:
            return False
    return True


cdef int hear_from(Team *team, uint32_t number, uint32_t other, uint32_t least_told) noexcept nogil:
    """Hears what another member told; in a repeatable search exactly its first ``least_told`` messages."""
    cdef Member *member = &team.members[number]
    cdef Member *speaker = &team.members[other]
    cdef uint32_t told, ended, times = 0, box
    cdef int status
    while True:
        ended = mcts_published(&speaker.ended)
        told = mcts_published(&speaker.told)
        if not team.repeatable or told >= least_told or ended:
            break
        if mcts_flag_read(&team.stop) or (times % LOOK == LOOK - 1 and number == 0 and mcts_raised(&team.interrupt)):
            return RUN_DONE
        mcts_wait(times)
        times += 1
    if team.repeatable and told > least_told:
        told = least_told
    if member.heard[other] + BOXES < told:  # this member has ended, so the other one wrote boxes again unheard
        member.heard[other] = told - BOXES
    while member.heard[other] < told:
        box = member.heard[other] % BOXES
        status = hear(member.tree, &member.known, speaker.boxes[box].at, speaker.boxes[box].used)
        mcts_publish(&member.heard[other], member.heard[other] + 1)
        if status != RUN_DONE:
            return status
    return RUN_DONE


cdef void speak(Team *team, uint32_t number, uint32_t least) noexcept nogil:
    cdef Member *member = &team.members[number]
    if has_room(team, number) and tell(member.tree, &member.known, least, &member.boxes[member.told % BOXES]):
        mcts_publish(&member.iterations, member.tree.iterations)
        mcts_publish(&member.told, member.told + 1)


cdef int exchange(Team *team, uint32_t number) noexcept nogil:
    cdef Member *member = &team.members[number]
    cdef uint32_t other, before = member.told
    cdef int status
    if not team.repeatable and not has_root(member.tree):  # the others' news waits in their boxes
        return RUN_DONE
    speak(team, number, least_news(team, member.tree))
    for other in range(team.count):
        if other != number:
            status = hear_from(team, number, other, before)
            if status != RUN_DONE:
                return status
    return RUN_DONE


cdef int team_run(Team *team, uint32_t number, uint32_t count) noexcept nogil:
    cdef Member *member = &team.members[number]
    cdef Tree *tree = member.tree
    cdef uint32_t spent = spent_of(tree), part
    cdef uint32_t end = spent + count
    cdef int status
    while spent < end:
        part = end - spent
        if part > member.next - spent:
            part = member.next - spent
        status = tree.ops.run(tree, part)
        spent = spent_of(tree)
        if status != RUN_DONE or tree.interrupted:
            return status
        if spent >= member.next:
            member.next += team.interval
            status = exchange(team, number)
            if status != RUN_DONE:
                return status
            if tree.settled:
                return RUN_SOLVED
    return RUN_DONE


cdef void team_end(Team *team, uint32_t number) noexcept nogil:
    cdef Member *member = &team.members[number]
    speak(team, number, least_news(team, member.tree))
    mcts_publish(&member.iterations, member.tree.iterations)
    mcts_publish(&member.ended, 1)


cdef void team_merge(Team *team) noexcept nogil:
    cdef Member *first
    cdef Member *member
    cdef Known known
    cdef Tree *tree
    cdef Words message
    cdef uint32_t i, other, opened = 0
    team.repeatable = 0
    for i in range(team.count):
        for other in range(team.count):
            if other != i:
                hear_from(team, i, other, 0)
    message.at = NULL
    message.used = message.room = 0
    message.limit = 0xFFFFFFFF
    for i in range(team.count):
        if has_root(team.members[i].tree):
            opened = i
            break
    first = &team.members[opened]
    for i in range(team.count):
        member = &team.members[i]
        if i != opened and tell(member.tree, &member.known, least_news(team, member.tree), &message):
            hear(first.tree, &first.known, message.at, message.used)
    words_free(&message)
    if opened:
        member = &team.members[0]
        tree, known = member.tree, member.known
        member.tree, member.known = first.tree, first.known
        first.tree, first.known = tree, known
