"""Proof-number search: whether one player can win a position, by nothing but the rules.

It goes on at the leaf at which the fewest further positions could settle the question (Allis, van der Meulen and van
den Herik, "Proof-Number Search", Artificial Intelligence 66, 1994). A new leaf counts with its number of moves, because
few replies are soon refuted. Proof numbers of leaves grow with the depth: without that, half of 16 mates in 3 took more
than 4,300 calls in place of 676, in long series of checks.

Equal states at the same depth are one node, and a node that is settled serves at every depth. Others do not: so no
position is its own ancestor, and repetitions need no care.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.stdint cimport uint32_t, uint64_t

from mcts_core.errors import GameOver
from mcts_core.arguments import shorten
from mcts_core.games.state_kinds import refuse_hidden

from mcts_core.games.user_states cimport UserStates, footprint, refuse_repeated, value_of
from mcts_core.platform cimport mcts_clock


cdef enum:
    EASE = 4                   # a proof number of a leaf grows by 1 / EASE of its moves with each ply
    LIST_BYTES = 72            # of a list of moves, without its entries
    POINTER_BYTES = 8
    TABLE_BYTES = 200          # of the entries of two tables
    LEAST = 1000               # calls of play() for each other move than the best one
    SHARE = 64                 # calls of play() before it is looked which question takes less

cdef uint64_t NEVER = <uint64_t>1 << 56


cdef class ProofNumbers:
    """Looks for a win of ``attacker``, +1 or -1, after the moves of ``path`` from ``root``, a state of two players in
    turn, with about ``bytes`` of memory at most. Raises InvalidState for other games, GameOver where the game is over
    at ``root``, and GameError."""

    def __cinit__(self, root, int attacker, uint64_t bytes, tuple path=()):
        refuse_hidden(root)
        self.user = UserStates(root, False)
        self.states, self.moves, self.tables, self.settled = [], [], [], {}
        self.attacker = attacker
        self.bytes = bytes
        self.hashed = value_of(root) is not None
        self.node_bytes = footprint(root) + sizeof(ProofNode) + LIST_BYTES + TABLE_BYTES
        try:
            winner = self.user.winner(root)
            state = root
            for move in path:
                state = self.user.child(state, move)
            if winner is None:
                self.new_node(state, 0)
        except Exception as error:
            self.user.error = error
            self.user.raise_error()
        if winner is not None:
            raise GameOver(f"the game is over (winner {winner}): there is nothing to prove in {shorten(root)}")

    def __dealloc__(self):
        PyMem_Free(self.nodes)
        PyMem_Free(self.edges)
        PyMem_Free(self.waiting)

    def root_moves(self):
        """The legal moves of the root."""
        return list(self.moves[0])

    def player(self):
        """Who is to move at the root, +1 or -1."""
        return self.attacker if self.nodes[0].attacks else -self.attacker

    def run(self, uint64_t calls, double deadline):
        """Goes on for about so many calls of ``play()``, until ``deadline`` on mcts_clock at most. Returns whether the
        question is settled. Raises GameError; what is known stays."""
        cdef uint64_t until = self.calls + calls
        try:
            while not self.is_settled(0) and not self.full and self.calls < until and mcts_clock() < deadline:
                PyErr_CheckSignals()
                self.expand(self.most_proving())
        except Exception as error:
            self.user.error = error
            self.user.raise_error()
        return self.is_settled(0)

    @property
    def proven(self):
        """True if the attacker wins, False if he does not, None while that is open."""
        return (self.nodes[0].proof == 0) if self.is_settled(0) else None

    @property
    def effort(self):
        """The proof number of the root: about how much a proof of a win still takes."""
        return self.nodes[0].proof

    @property
    def distance(self):
        """The plies within which a proven win ends the game."""
        return self.nodes[0].distance if self.proven else None

    def line(self):
        """The moves of a settled root that show it: of a proven win with the longest defence, else the one move that
        the player to move has against it, if he is not the attacker. Empty where nothing is settled."""
        cdef ProofNode *node = self.nodes
        cdef ProofNode *child
        cdef uint32_t edge, best
        cdef list line = []
        if not self.is_settled(0) or (node.proof and node.attacks):
            return line
        while node.count:
            best = NOWHERE
            for edge in range(node.children, node.children + node.count):
                child = &self.nodes[self.edges[edge].child]
                if (child.disproof if node.proof else child.proof) != 0:
                    continue
                if best == NOWHERE or (child.distance < self.nodes[self.edges[best].child].distance if node.attacks else
                                       child.distance > self.nodes[self.edges[best].child].distance):
                    best = edge
            line.append((<list>self.moves[node - self.nodes])[best - node.children])
            if node.proof:
                break
            node = &self.nodes[self.edges[best].child]
        return line

    cdef bint is_settled(self, uint32_t at) noexcept:
        return self.nodes[at].proof == 0 or self.nodes[at].disproof == 0

    cdef uint32_t new_node(self, object state, uint32_t depth) except? 0xFFFFFFFF:
        """A leaf. Its numbers are final where the game is over."""
        cdef ProofNode *node
        cdef uint64_t count
        cdef list moves = []
        cdef bint attacks = self.user.sign(state) == self.attacker
        winner = self.user.winner(state)
        if winner is None:
            moves = list(self.user.legal(state))
            refuse_repeated(state, moves, "legal_moves")
        if self.node_count == self.node_room:
            self.grow_nodes()
        self.states.append(state if winner is None else None)
        self.moves.append(moves)
        node = &self.nodes[self.node_count]
        count = <uint64_t>len(moves)
        node.children = node.parents = NOWHERE
        node.count = node.distance = 0
        node.waits = False
        node.depth = depth
        node.attacks = attacks
        if winner is not None:
            node.proof = 0 if winner == self.attacker else NEVER
            node.disproof = NEVER - node.proof
        elif attacks:
            node.proof, node.disproof = EASE + depth, EASE * count
        else:
            node.proof, node.disproof = count * (EASE + depth), EASE
        self.node_count += 1
        if self.node_count * (self.node_bytes + count * (POINTER_BYTES + sizeof(ProofEdge))) > self.bytes:
            self.full = True
        return self.node_count - 1

    cdef uint32_t node_of(self, object state, uint32_t depth) except? 0xFFFFFFFF:
        """The node of a state that serves at this depth, a new one if there is none."""
        cdef dict table
        cdef uint32_t at
        if not self.hashed:
            return self.new_node(state, depth)
        while <uint32_t>len(self.tables) <= depth:
            self.tables.append({})
        table = self.tables[depth]
        known = table.get(state)
        if known is not None:
            return known
        known = self.settled.get(state)
        if known is not None and self.is_settled(known):
            return known
        at = self.new_node(state, depth)
        self.settled[state] = table[state] = at
        return at

    cdef int grow_nodes(self) except -1:
        cdef uint32_t room = 2 * self.node_room + 64
        cdef ProofNode *nodes = <ProofNode *>PyMem_Realloc(self.nodes, room * sizeof(ProofNode))
        cdef uint32_t *waiting = NULL
        if nodes != NULL:
            self.nodes = nodes
            waiting = <uint32_t *>PyMem_Realloc(self.waiting, room * sizeof(uint32_t))
        if waiting == NULL:
            raise MemoryError("no memory for a proof")
        self.waiting, self.node_room = waiting, room
        return 0

    cdef int grow_edges(self, uint32_t count) except -1:
        """Makes room for so many more edges."""
        cdef uint32_t room = 2 * self.edge_count + count
        cdef ProofEdge *edges
        if self.edge_count + count <= self.edge_room:
            return 0
        edges = <ProofEdge *>PyMem_Realloc(self.edges, room * sizeof(ProofEdge))
        if edges == NULL:
            raise MemoryError("no memory for a proof")
        self.edges, self.edge_room = edges, room
        return 0

    cdef uint32_t most_proving(self) noexcept nogil:
        """The leaf whose children may settle the root soonest."""
        cdef uint32_t at = 0, edge, child, best
        cdef uint64_t least, number
        cdef ProofNode *node = self.nodes
        while node.count:
            least, best = NEVER + 1, NOWHERE
            for edge in range(node.children, node.children + node.count):
                child = self.edges[edge].child
                number = self.nodes[child].proof if node.attacks else self.nodes[child].disproof
                if number < least:
                    least, best = number, child
            at = best
            node = &self.nodes[at]
        return at

    cdef int expand(self, uint32_t at) except -1:
        """Gives a leaf its children, up to the first that settles it. A leaf stays one if the game raises."""
        cdef list children = []
        cdef uint32_t depth = self.nodes[at].depth, child, first
        cdef bint attacks = self.nodes[at].attacks
        state = self.states[at]
        for move in <list>self.moves[at]:
            self.calls += 1
            child = self.node_of(self.user.child(state, move), depth + 1)
            children.append(child)
            if (self.nodes[child].proof if attacks else self.nodes[child].disproof) == 0:
                break
        self.grow_edges(<uint32_t>len(children))
        self.states[at] = None
        first = self.edge_count
        for known in children:
            child = known
            self.edges[self.edge_count] = ProofEdge(at, child, self.nodes[child].parents)
            self.nodes[child].parents = self.edge_count
            self.edge_count += 1
        self.nodes[at].children, self.nodes[at].count = first, self.edge_count - first
        self.update(at)
        return 0

    cdef void update(self, uint32_t at) noexcept nogil:
        """Computes the numbers of a node again, and those of all above it that change with it."""
        cdef uint32_t count = 0, edge, parent
        while True:
            self.nodes[at].waits = False
            if self.renew(&self.nodes[at]):
                edge = self.nodes[at].parents
                while edge != NOWHERE:
                    parent = self.edges[edge].parent
                    if not self.nodes[parent].waits:
                        self.nodes[parent].waits = True
                        self.waiting[count] = parent
                        count += 1
                    edge = self.edges[edge].next
            if count == 0:
                return
            count -= 1
            at = self.waiting[count]

    cdef bint renew(self, ProofNode *node) noexcept nogil:
        """Computes the numbers of a node from those of its children. Returns whether they changed."""
        cdef uint64_t least = NEVER, sum = 0, number
        cdef uint32_t edge, shortest = NOWHERE, longest = 0
        cdef ProofNode *child
        cdef bint changed
        for edge in range(node.children, node.children + node.count):
            child = &self.nodes[self.edges[edge].child]
            number = child.proof if node.attacks else child.disproof
            if number < least:
                least = number
            number = child.disproof if node.attacks else child.proof
            sum = min(NEVER, sum + number)
            if child.proof == 0:
                shortest, longest = min(shortest, child.distance + 1), max(longest, child.distance + 1)
        if not node.attacks:
            least, sum = sum, least
        changed = node.proof != least or node.disproof != sum
        node.proof, node.disproof = least, sum
        if node.proof == 0:
            node.distance = shortest if node.attacks else longest
        return changed


class ProofSearch:
    """What is proven of ``root`` and of the positions below it, by the rules alone, with about ``bytes`` of memory.

    Raises InvalidState where ``root`` is not a state of two players in turn, GameOver, and GameError.
    """

    by_book = False

    def __init__(self, root, bytes):
        first = ProofNumbers(root, 1, 0)
        self.legal = first.root_moves()
        self._root, self._bytes, self._sign = root, bytes, first.player()
        self._known = {}
        self._calls = 0
        self.line = ()

    def prove(self, path, exact, deadline):
        """As ``ExactSearch.prove``: half-points, distance, False, and a move or None, of the position after ``path``;
        the distance of a draw is None. The half-points are those of the player to move at the root, or after an odd
        number of moves of the other player, whoever is to move. Raises GameError."""
        key = tuple(path)
        if key not in self._known:
            self._known[key] = self._prove(key, 1e300 if deadline is None else deadline)
        return self._known[key]

    def _prove(self, path, deadline):
        sign = -self._sign if len(path) % 2 else self._sign
        wins = ProofNumbers(self._root, sign, self._bytes // 2, path)
        losses = ProofNumbers(self._root, -sign, self._bytes // 2, path)
        most = max(LEAST, self._calls) if path else 1 << 62
        while not (wins.proven or losses.proven or (wins.proven is False and losses.proven is False)):
            before = wins.calls + losses.calls
            if wins.proven is None and (losses.proven is False or wins.effort <= losses.effort):
                wins.run(SHARE, deadline)
            else:
                losses.run(SHARE, deadline)
            if wins.calls + losses.calls == before or before > most:
                return None
        line = wins.line() if wins.proven else losses.line() or wins.line()
        if not path:
            self.line = tuple(line)
            self._calls = wins.calls + losses.calls
        first = line[0] if line else None
        if wins.proven or losses.proven:
            return (2, wins.distance, False, first) if wins.proven else (0, losses.distance, False, first)
        return 1, None, False, first
