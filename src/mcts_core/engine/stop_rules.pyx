"""When a search ends: each rule one function.

Between two slices the loop (``loop.pyx``, and ``general_group.pyx`` for searches side by side) asks each rule whether
it ends the search. The name of that rule is what ``Stats.stop_reason`` reports. RULES lists the rules in the order in
which they take precedence. With a budget of iterations alone the same seed must give the same search, so there a rule
may look at fixed numbers of iterations only.
"""

from libc.stdint cimport int64_t, uint32_t

from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.searched_tree cimport ABSENT, LOST, WON, RootView, SearchedTree
from mcts_core.tree.tree cimport RUN_DONE, RUN_LATE, RUN_SOLVED


ctypedef bint (*Rule)(SearchedTree tree, Look *look) noexcept nogil

cdef struct NamedRule:
    const char *name
    Rule rule

cdef enum:
    CHECKS = 64                     # how often a search with an iteration budget looks whether the move is decided

cdef double WORTH = 0.1             # share of a time budget that stopping early must save
cdef double MARGIN = 2.0            # how much faster than so far the rest of a time budget may run
cdef int64_t SURE = 0x7FFFFFFFFFFFFFFF  # a lead that nothing overtakes


cdef bint solved(SearchedTree tree, Look *look) noexcept nogil:
    """Nothing more can be learned about the position."""
    return look.status == RUN_SOLVED


cdef bint memory(SearchedTree tree, Look *look) noexcept nogil:
    """The tree is full, and pruning made no room."""
    return look.status != RUN_DONE and look.status != RUN_LATE


cdef bint only_move(SearchedTree tree, Look *look) noexcept nogil:
    """The only legal move will be played, so one iteration is enough."""
    return look.only and look.spent >= look.limit


cdef bint iterations(SearchedTree tree, Look *look) noexcept nogil:
    """The budget of iterations is spent."""
    return look.spent >= look.limit


cdef bint cancelled(SearchedTree tree, Look *look) noexcept nogil:
    """Somebody cancelled the search; it goes on until there is a move to play."""
    return look.spent > 0 and tree.is_cancelled()


cdef bint time(SearchedTree tree, Look *look) noexcept nogil:
    """The time is over and there is a move to play; or too little time is left for pruning a full tree."""
    return look.status == RUN_LATE or (look.spent > 0 and look.seconds > 0 and look.now >= look.deadline)


cdef bint decided(SearchedTree tree, Look *look) noexcept nogil:
    """The leading move can no longer be overtaken within the rest of the budget."""
    cdef double left, rate
    cdef int64_t ahead, rest
    if not look.early or look.spent == 0:
        return False
    if look.seconds <= 0:
        if look.spent < look.look_at:
            return False
        look.look_at += look.look_every
        return lead(tree) > <int64_t>(look.limit - look.spent)
    left = look.deadline - look.now
    if left <= WORTH * look.seconds:
        return False
    rate = look.spent / (look.now - look.begin)
    if look.took > 0 and look.ran / look.took > rate:
        rate = look.ran / look.took
    ahead = lead(tree)
    rest = <int64_t>(look.limit - look.spent) * tree.width()
    return ahead > rest or ahead > MARGIN * rate * left * tree.width() + 1


cdef NamedRule[7] RULES = [
    NamedRule(b"solved", solved),
    NamedRule(b"memory", memory),
    NamedRule(b"only_move", only_move),
    NamedRule(b"iterations", iterations),
    NamedRule(b"cancelled", cancelled),
    NamedRule(b"time", time),
    NamedRule(b"decided", decided),
]


cdef int begin_look(Look *look, SearchedTree tree, SearchRequest request) except -1:
    cdef SearchSettings settings = request.settings
    cdef bint early = request.stop_early and not settings.visits_are_data
    look.status = RUN_DONE
    look.now = look.took = 0
    look.ran = look.spent = 0
    look.full_at = 0xFFFFFFFF
    look.begin, look.seconds, look.deadline = request.begin, request.seconds, tree.deadline
    look.only = early and tree.count_moves() == 1
    look.limit = 1 if look.only else min(request.iterations or tree.room(), tree.room())
    look.early = early and not settings.values_decide
    # looks at fixed numbers of iterations: a seed and an iteration budget give one search
    look.look_at = look.look_every = look.limit // CHECKS + 1
    return 0


cdef uint32_t due(const Look *look) noexcept nogil:
    cdef uint32_t left = look.limit - look.spent
    if look.early and look.seconds <= 0 and left > look.look_at - look.spent:
        return look.look_at - look.spent
    return left


cdef void make_room(SearchedTree tree, Look *look) noexcept nogil:
    if look.spent != look.full_at:
        look.full_at = look.spent
        look.status = tree.make_room(tree.deadline)


cdef const char *stop_reason(SearchedTree tree, Look *look) noexcept nogil:
    cdef uint32_t i
    for i in range(sizeof(RULES) // sizeof(NamedRule)):
        if RULES[i].rule(tree, look):
            if tree.is_proven():  # going on could only have improved the distance
                return b"solved"
            return RULES[i].name
    return NULL


cdef int64_t lead(SearchedTree tree) noexcept nogil:
    """Where no value is proven but by the rules, and the move is chosen by visits."""
    cdef RootView root
    cdef uint32_t slot
    cdef int64_t first = -1, second = -1
    cdef bint winning = False
    if not tree.view_root(&root):
        return -1
    for slot in range(root.count):
        if tree.standing(&root, slot) == WON:
            winning = True
            break
    for slot in range(root.count):
        standing = tree.standing(&root, slot)
        if standing == ABSENT or standing == LOST or (winning and standing != WON):
            continue
        if <int64_t>root.visits[slot] > first:
            second = first
            first = root.visits[slot]
        elif <int64_t>root.visits[slot] > second:
            second = root.visits[slot]
    if first < 1:
        return -1
    return first - second if second >= 0 else SURE
