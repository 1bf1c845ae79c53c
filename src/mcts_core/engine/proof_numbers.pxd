"""Proof-number search over the states of any game of two players in turn."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.games.user_states cimport UserStates

cdef enum:
    NOWHERE = 0xFFFFFFFF       # no node, no edge


# A position that the search has reached, at one depth. The proof number is the least effort that would prove that the
# attacker wins from here, the disproof number the least that would prove that he does not.
ctypedef struct ProofNode:
    uint64_t proof
    uint64_t disproof
    uint32_t children          # the first of ``count`` edges to children; NOWHERE: the node is a leaf
    uint32_t count
    uint32_t parents           # the first edge to a parent; NOWHERE: the root
    uint32_t distance          # plies in which a proven node wins at most
    uint32_t depth
    bint attacks               # the attacker is to move
    bint waits                 # for its numbers to be computed again


ctypedef struct ProofEdge:
    uint32_t parent
    uint32_t child
    uint32_t next              # the next edge to a parent of the child


cdef class ProofNumbers:
    cdef UserStates user
    cdef ProofNode *nodes
    cdef ProofEdge *edges
    cdef uint32_t *waiting           # nodes whose numbers have to be computed again
    cdef uint32_t node_count, node_room, edge_count, edge_room
    cdef list states                 # of leaves; None once a node has children
    cdef list moves                  # the legal moves of each node
    cdef list tables                 # for each depth: state -> node
    cdef dict settled                # state -> a node of any depth, of use once it is settled
    cdef bint hashed                 # states are compared by their value
    cdef readonly int attacker       # +1 or -1: for whom a win is looked for
    cdef readonly uint64_t calls     # of play(), so far
    cdef uint64_t node_bytes         # of a node with its state
    cdef uint64_t bytes              # for all nodes
    cdef readonly bint full          # there was no room for another node

    cdef bint is_settled(self, uint32_t at) noexcept
    cdef uint32_t new_node(self, object state, uint32_t depth) except? 0xFFFFFFFF
    cdef uint32_t node_of(self, object state, uint32_t depth) except? 0xFFFFFFFF
    cdef int grow_nodes(self) except -1
    cdef int grow_edges(self, uint32_t count) except -1
    cdef uint32_t most_proving(self) noexcept nogil
    cdef int expand(self, uint32_t at) except -1
    cdef void update(self, uint32_t at) noexcept nogil
    cdef bint renew(self, ProofNode *node) noexcept nogil
