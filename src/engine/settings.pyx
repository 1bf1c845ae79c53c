"""The options of a search as its loop reads them, and what a game offers to choose from."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.games.python_game import PYTHON_GUIDE

from mcts_core.game cimport NativeState, mcts_guide
from mcts_core.tree.guided_tree cimport SELECT_TUNED
from mcts_core.games.python_game cimport check_table
from mcts_core.tree.plain_tree cimport MAX_ITERATIONS


cdef class SearchSettings:
    """The options of a search, in the form in which the native code reads them.

    ``guided`` False: the plain tree, which knows ``exploration`` and ``rollouts_per_leaf`` only. ``fpu`` None: every
    child is tried before one is visited again.
    """

    def __cinit__(self, *, bint guided, double exploration, uint32_t rollouts_per_leaf, bint by_value,
                  bint prunes=True, uint32_t interval=4000, int selection=0,
                  bint solver=False, fpu=None, bint hand_schedule=True, double rave_k=0, double rave_bias=0,
                  uint32_t grave_ref=0, double prior_weight=0, uint32_t expand_after=1, uint32_t rollout=0,
                  uint32_t distance=0, bint symmetry=False, uint64_t tree_bytes=0, uint64_t prover_bytes=0,
                  uint32_t leaf_units=0, uint32_t node_units=0, uint32_t root_units=0):
        self.guided = guided
        self.by_value = by_value
        self.prunes = prunes
        self.interval = interval
        self.options.selection = selection
        self.options.solver = solver
        self.options.hand_schedule = hand_schedule
        self.options.exploration = exploration
        self.options.fpu = 1e20 if fpu is None else <float>fpu
        self.options.rave_k = rave_k
        self.options.rave_bias = rave_bias
        self.options.grave_ref = grave_ref
        self.options.prior_weight = prior_weight
        self.options.expand_after = expand_after
        self.options.rollouts_per_leaf = rollouts_per_leaf
        self.options.policy.rollout = rollout
        self.options.policy.distance = distance
        self.options.policy.symmetry = symmetry
        self.options.tree_bytes = tree_bytes
        self.options.prover_bytes = prover_bytes
        self.options.leaf_units = leaf_units
        self.options.node_units = node_units
        self.options.root_units = root_units

    @property
    def rollouts_per_leaf(self):
        return self.options.rollouts_per_leaf


cdef uint32_t most_iterations(SearchSettings settings) noexcept:
    """Beyond which a sum would not fit: of half-points, or of their squares."""
    cdef uint32_t most = <uint32_t>MAX_ITERATIONS // settings.options.rollouts_per_leaf
    return most // 2 if settings.options.selection == SELECT_TUNED else most


def guide_of(state):
    """(bits of the rollout policies, best distance for children, number of actions, whether there is exact search) of
    the state's game; None where the game offers its rules only."""
    cdef const mcts_guide *guide
    if not isinstance(state, NativeState):
        return PYTHON_GUIDE
    check_table(state, True)
    guide = (<NativeState>state).game.guide
    if guide == NULL:
        return None
    return guide.rollouts, guide.distance, guide.actions, guide.prove != NULL
