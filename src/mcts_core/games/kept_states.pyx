"""The states of a game written in Python that a search keeps: those of the nodes that it visits again.

A tree holds no Python objects, and names a position by the path of moves that leads there. To play that path from the
root takes a call of ``play`` for each move. So the states along a path are kept, with what they have answered, and the
next path begins at the last one of them that it leads through. They form a tree of their own, which is a cache: whether
a state is kept changes no result, and each of them can be dropped at any time.

The bytes of the states are an estimate, since Python does not report them. Above the limit, the states that the fewest
paths have led through are dropped, until a quarter of the limit is free.
"""

import sys
from gc import get_referents
from types import BuiltinFunctionType, FunctionType, ModuleType

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

cdef enum:
    ALLOCATION = 16              # bytes that the allocator adds to an object, at most
    UNKNOWN = 256                # bytes of an object that does not say its size
    REFERENCE = 8                # bytes of a reference, where its owner does not count it
    MOST_COUNTED = 50000         # objects of a state that are counted
    FIRST_ROOM = 64
    DEFAULT_LIMIT = 16 << 20     # bytes, unless a search sets another limit
    UNCOUNTED = 12               # share of the memory for what the estimate and the gaps of the allocator miss
    MOST_VISITS = 256            # visits up to which pruning compares states
    FIRST_CHECK = 16             # visits after which a state is compared with what it was, then at each doubling


cdef inline bint is_power_of_two(uint32_t number) noexcept nogil:
    return number & (number - 1) == 0


cdef bint is_shared(object given) noexcept:
    """Whether an object belongs to the program, not to a state."""
    kind = type(given)
    return (given is None or isinstance(given, type) or kind is ModuleType or kind is FunctionType
            or kind is BuiltinFunctionType)


cdef uint64_t bytes_of(object given, set met) except? 0:
    """About how many bytes the objects take that ``given`` holds and ``met`` does not have; adds them to ``met``.

    The same for the same states in each process: it depends on nothing but what they hold.
    """
    cdef list waiting = [given], held
    cdef Py_ssize_t counted = 0
    cdef uint64_t total = 0
    while waiting and counted < MOST_COUNTED:
        item = waiting.pop()
        if is_shared(item) or id(item) in met:
            continue
        met.add(id(item))
        counted += 1
        held = get_referents(item)
        try:
            total += ALLOCATION + <uint64_t>sys.getsizeof(item)
        except Exception:  # of a __sizeof__ of the user's
            total += UNKNOWN
        total += REFERENCE * len(held)
        waiting += held
    return total


@cython.final
cdef class KeptStates:
    """The kept states below ``root``, whose methods ``user`` calls."""

    def __cinit__(self, UserStates user, root):
        self.entries = <KeptEntry *>malloc(FIRST_ROOM * sizeof(KeptEntry))
        self.path = <uint32_t *>malloc(FIRST_ROOM * sizeof(uint32_t))
        if self.entries == NULL or self.path == NULL:
            raise MemoryError
        self.path_room = FIRST_ROOM
        memset(self.entries, 0, sizeof(KeptEntry))
        self.entries[ROOT_ENTRY].mover = NOT_ASKED
        self.room = FIRST_ROOM
        self.used = 1
        self.user = user
        self.states = [root]
        self.moves = [None]
        self.state = root
        self.parent = NOT_KEPT
        self.limit = DEFAULT_LIMIT
        self.measure_at = 1

    def __dealloc__(self):
        cdef uint32_t entry
        for entry in range(self.used):
            free(self.entries[entry].results)
        free(self.entries)
        free(self.path)

    # ---- where a path leads ------------------------------------------------------------------------------------------

    cdef object at(self, const uint32_t *path, uint32_t length):
        cdef uint32_t entry = ROOT_ENTRY, parent = NOT_KEPT, depth = 0, below
        self.entries[ROOT_ENTRY].visits += 1
        while depth < length:
            below = self.find(entry, path[depth])
            if below == 0:
                break
            entry = below
            self.entries[entry].visits += 1
            if is_power_of_two(self.entries[entry].visits) and self.entries[entry].visits >= FIRST_CHECK:
                self.check(entry)
            depth += 1
        state = self.states[entry]
        if (self.entry == NOT_KEPT and depth < self.length <= length
                and memcmp(path, self.path, self.length * sizeof(uint32_t)) == 0):
            state = self.state  # of the last path, from where this one goes on
            if depth + 1 < self.length:
                entry = NOT_KEPT
            elif self.length < length:
                entry = self.add(entry, path[depth], state)
            else:
                parent, entry = entry, NOT_KEPT
            depth = self.length
        while depth < length:
            child = self.user.child(state, self.user.moves[path[depth]])
            if entry != NOT_KEPT:
                self.count_play(entry)
            if entry != NOT_KEPT and depth + 1 < length:
                entry = self.add(entry, path[depth], child)
            else:
                parent, entry = entry, NOT_KEPT
            state = child
            depth += 1
        self.go_to(path, length, state, entry, parent)
        return state

    cdef object onward(self, uint32_t move):
        cdef uint32_t *larger
        state = self.user.child(self.state, self.user.moves[move])
        if self.length == self.path_room:
            larger = <uint32_t *>realloc(self.path, 2 * self.path_room * sizeof(uint32_t))
            if larger == NULL:
                raise MemoryError
            self.path, self.path_room = larger, 2 * self.path_room
        self.path[self.length] = move
        self.length += 1
        self.state, self.entry, self.parent = state, NOT_KEPT, NOT_KEPT
        return state

    cdef int go_to(self, const uint32_t *path, uint32_t length, object state, uint32_t entry,
                   uint32_t parent) except -1:
        cdef uint32_t *larger
        if length > self.path_room:
            larger = <uint32_t *>realloc(self.path, 2 * length * sizeof(uint32_t))
            if larger == NULL:
                raise MemoryError
            self.path, self.path_room = larger, 2 * length
        memcpy(self.path, path, length * sizeof(uint32_t))
        self.length = length
        self.state, self.entry, self.parent = state, entry, parent
        return 0

    cdef object child(self, object move):
        cdef uint32_t entry = self.entry
        if self.user.pushes:
            state = self.user.copied(self.state)
            self.user.push(state, move)
        else:
            state = self.user.child(self.state, move)
        if entry != NOT_KEPT:
            self.count_play(entry)
        return state

    cdef int count_play(self, uint32_t entry) except -1:
        """Checks the state when as many moves were played from it as it has."""
        cdef list moves = self.moves[entry]
        self.entries[entry].plays += 1
        if moves is not None and self.entries[entry].plays == len(moves):
            self.check(entry)
        return 0

    cdef int check(self, uint32_t entry) except -1:
        """Compares a state with what it was. Raises GameError where ``play`` has changed it."""
        if self.moves[entry] is not None:
            self.user.check_state(self.states[entry], self.entries[entry].mover, self.moves[entry], self.strictly)
        return 0

    # ---- what a state has answered -----------------------------------------------------------------------------------

    cdef int mover(self) noexcept:
        return NOT_ASKED if self.entry == NOT_KEPT else self.entries[self.entry].mover

    cdef list legal(self):
        return None if self.entry == NOT_KEPT else self.moves[self.entry]

    cdef int know(self, int mover, list moves) except -1:
        cdef uint32_t entry = self.entry
        if entry == NOT_KEPT and self.parent != NOT_KEPT:
            entry = self.entry = self.add(self.parent, self.path[self.length - 1], self.state)
        if entry == NOT_KEPT:
            return 0
        self.entries[entry].mover = mover
        self.moves[entry] = None if moves is None else self.named(moves)
        if self.added >= self.measure_at and entry != ROOT_ENTRY:
            self.measure(entry)
        return 0

    cdef list named(self, list moves):
        """A list of its own, in which moves that have a number are the objects that it stands for: a tuple is not kept
        once for each position."""
        cdef list found = []
        try:
            for move in moves:
                number = self.user.ids.get(move)
                found.append(move if number is None else self.user.moves[number])
        except Exception:  # a move cannot be hashed, which is reported when the tree needs its number
            return list(moves)
        return found

    cdef int result(self, uint32_t slot) noexcept:
        if self.entry == NOT_KEPT or self.entries[self.entry].results == NULL:
            return 0
        return self.entries[self.entry].results[slot]

    cdef int know_result(self, uint32_t slot, object winner) except -1:
        cdef KeptEntry *kept
        if self.entry == NOT_KEPT or self.moves[self.entry] is None:
            return 0
        kept = &self.entries[self.entry]
        if kept.results == NULL:
            kept.results = <uint8_t *>calloc(len(<list>self.moves[self.entry]), 1)
            if kept.results == NULL:
                raise MemoryError
        kept.results[slot] = 1 if winner is None else 3 + <int>winner
        return 0

    # ---- entries -----------------------------------------------------------------------------------------------------

    cdef uint32_t find(self, uint32_t parent, uint32_t move) noexcept:
        """The child after a move, 0: it is not kept. It becomes the first one, so that frequent ones are found soon."""
        cdef uint32_t entry = self.entries[parent].below, before = 0
        while entry and self.entries[entry].move != move:
            before = entry
            entry = self.entries[entry].next
        if before and entry:
            self.entries[before].next = self.entries[entry].next
            self.entries[entry].next = self.entries[parent].below
            self.entries[parent].below = entry
        return entry

    cdef uint32_t add(self, uint32_t parent, uint32_t move, object state) except? 0:
        """Keeps a state; NOT_KEPT if there is no room."""
        cdef uint32_t entry
        cdef KeptEntry *kept
        if self.bytes + self.size > self.limit:
            if self.size > self.limit // 4:
                return NOT_KEPT
            self.prune(self.limit - self.limit // 4)
            if self.states[parent] is None:
                return NOT_KEPT
        entry = self.new_entry()
        self.states[entry] = state
        kept = &self.entries[entry]
        memset(kept, 0, sizeof(KeptEntry))
        kept.move = move
        kept.visits = 1
        kept.mover = NOT_ASKED
        kept.bytes = self.size
        kept.next = self.entries[parent].below
        self.entries[parent].below = entry
        self.bytes += self.size
        self.added += 1
        return entry

    cdef uint32_t new_entry(self) except 0:
        cdef uint32_t entry = self.free
        cdef KeptEntry *larger
        if entry:
            self.free = self.entries[entry].next
            return entry
        if self.used == self.room:
            larger = <KeptEntry *>realloc(self.entries, 2 * <uint64_t>self.room * sizeof(KeptEntry))
            if larger == NULL:
                raise MemoryError
            self.entries = larger
            self.room *= 2
        self.states.append(None)
        self.moves.append(None)
        entry = self.used
        self.entries[entry].results = NULL
        self.used += 1
        return entry

    cdef int measure(self, uint32_t entry) except -1:
        """Estimates the bytes of an entry. The mean of two estimates follows states that grow during the game."""
        cdef list moves = self.moves[entry]
        cdef set met = set()
        cdef uint64_t size
        cdef uint32_t depth, above = ROOT_ENTRY
        bytes_of(self.user.moves, met)
        for depth in range(self.length):  # what states share with those before
            bytes_of(self.states[above], met)
            above = self.find(above, self.path[depth])
        size = sizeof(KeptEntry) + 2 * REFERENCE + bytes_of(self.states[entry], met)
        if moves is not None:
            size += bytes_of(moves, met) + len(moves) + ALLOCATION
        self.size = (self.size + size) // 2 if self.size else size
        self.measure_at = 2 * self.added
        self.bytes += self.size - self.entries[entry].bytes
        self.entries[entry].bytes = self.size
        if self.bytes > self.limit:
            self.prune(self.limit - self.limit // 4)
        return 0

    cdef int fit(self, uint64_t memory, uint64_t taken) except -1:
        cdef uint64_t left = memory - min(memory, taken)
        self.limit = min(left - left // UNCOUNTED, memory // 2)  # the allocator may keep it when the tree needs it
        if self.bytes > self.limit:
            self.prune(self.limit - self.limit // 4)
        return 0

    cdef int prune(self, uint64_t most) except -1:
        """Drops the least visited states until the others take at most so many bytes. All that is below a dropped state
        goes with it, because it has no more visits."""
        cdef uint32_t least = self.least_kept(most), alive = 0, dead = self.used, entry, below
        cdef uint32_t *link
        cdef uint32_t *waiting = <uint32_t *>malloc(self.used * sizeof(uint32_t))
        cdef list dropped = []  # released at the end: what a state runs then finds all in order
        if waiting == NULL:
            raise MemoryError
        try:
            waiting[alive] = ROOT_ENTRY
            alive += 1
            while alive:
                alive -= 1
                entry = waiting[alive]
                self.entries[entry].visits -= self.entries[entry].visits // 2
                link = &self.entries[entry].below
                while link[0]:
                    below = link[0]
                    if self.entries[below].visits < least:
                        link[0] = self.entries[below].next
                        dead -= 1
                        waiting[dead] = below
                    else:
                        waiting[alive] = below
                        alive += 1
                        link = &self.entries[below].next
            while dead < self.used:
                entry = waiting[dead]
                dead += 1
                below = self.entries[entry].below
                while below:
                    dead -= 1
                    waiting[dead] = below
                    below = self.entries[below].next
                self.release(entry, dropped)
        finally:
            free(waiting)
        return 0

    cdef uint32_t least_kept(self, uint64_t most) noexcept:
        """The visits from which states are kept, so that they take at most so many bytes."""
        cdef uint64_t sizes[MOST_VISITS]
        cdef uint64_t total = 0
        cdef uint32_t entry, visits
        memset(sizes, 0, sizeof(sizes))
        for entry in range(1, self.used):
            if self.states[entry] is not None:
                visits = self.entries[entry].visits
                sizes[min(visits, <uint32_t>(MOST_VISITS - 1))] += self.entries[entry].bytes
        for visits in range(MOST_VISITS - 1, -1, -1):
            total += sizes[visits]
            if total > most:
                return visits + 1 if visits + 1 < MOST_VISITS else NOT_KEPT
        return 0

    cdef int release(self, uint32_t entry, list dropped) except -1:
        """Gives an entry back, without its children."""
        cdef KeptEntry *kept = &self.entries[entry]
        dropped.append((self.states[entry], self.moves[entry]))
        self.states[entry] = self.moves[entry] = None
        free(kept.results)
        kept.results = NULL
        self.bytes -= kept.bytes
        kept.next = self.free
        self.free = entry
        if self.entry == entry:
            self.entry = NOT_KEPT
        if self.parent == entry:
            self.parent = NOT_KEPT
        return 0

    cdef int clear(self) except -1:
        cdef uint32_t entry
        cdef list states = self.states, moves = self.moves
        for entry in range(self.used):
            free(self.entries[entry].results)
            self.entries[entry].results = NULL
        self.states, self.moves = [states[ROOT_ENTRY]], [moves[ROOT_ENTRY]]
        self.entries[ROOT_ENTRY].below = 0
        self.used = 1
        self.free = 0
        self.bytes = 0
        self.state, self.entry, self.length = states[ROOT_ENTRY], ROOT_ENTRY, 0
        self.parent = NOT_KEPT
        return 0
