"""The options of a search in the form that its loop reads, and the choices that a game offers."""

from collections import namedtuple

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.games.python_game import PYTHON_GUIDE
from mcts_core.games.state_kinds import is_general, is_hidden

from mcts_core.engine.thread_exchange cimport MAX_THREADS
from mcts_core.platform cimport mcts_physical_memory
from mcts_core.tree.compaction cimport MARKS
from mcts_core.game cimport (MCTS_ROLLOUT_DECISIVE, MCTS_ROLLOUT_RANDOM, MCTS_ROLLOUT_TACTICAL, NativeState, general_of,
                             mcts_game, mcts_general, mcts_guide, valuation_of)
from mcts_core.games.connect_four.position cimport ConnectFour
from mcts_core.games.mnk.network cimport Network
from mcts_core.games.mnk.position cimport MNK
from mcts_core.games.mnk.rollout cimport MNK_MAX_SIDE
from mcts_core.tree.guided_tree cimport (SELECT_GRAVE, SELECT_PUCT, SELECT_RAVE, SELECT_TUNED, SELECT_UCB1, SHARES,
                                         visits_that_fit)
from mcts_core.games.python_game cimport check_table
from mcts_core.tree.spread cimport SPREAD
from mcts_core.tree.tree cimport MAX_ITERATIONS


SELECTIONS = ("ucb1", "puct", "ucb1-tuned", "rave", "grave")
assert (SELECT_UCB1, SELECT_PUCT, SELECT_TUNED, SELECT_RAVE, SELECT_GRAVE) == tuple(range(len(SELECTIONS)))

ROLLOUTS = ("random", "decisive", "tactical")
assert (MCTS_ROLLOUT_RANDOM, MCTS_ROLLOUT_DECISIVE, MCTS_ROLLOUT_TACTICAL) == tuple(range(len(ROLLOUTS)))


cdef enum:
    MIB = 1 << 20
    VALUE_STEPS = 64     # steps from 0 to 1/2 of a valuation's value: sums of 16 million values fit into 32 bits


MOST_THREADS = MAX_THREADS
"""The highest number of threads of a search."""


cdef GuidedOptions no_guided
cdef GeneralOptions no_general
memset(&no_guided, 0, sizeof(no_guided))
memset(&no_general, 0, sizeof(no_general))

GUIDED_FIELDS = frozenset(no_guided)
"""Fields of the native options of a guided tree: an option of this name needs no other mention."""


cdef dict fields_of(dict zero, dict given, dict made):
    """The fields of a native struct, which Cython makes of a dict: it raises for a missing one, but takes an extra one
    silently. ``given``: the keywords, those that ``SearchSettings`` reads among them; ``made``: made of these."""
    fields = zero | {name: value for name, value in given.items() if name in zero} | made
    unknown = given.keys() - zero.keys() - {"by_value", "prunes", "interval", "temperature", "rollouts_per_leaf"}
    if unknown or fields.keys() != zero.keys():
        raise TypeError(f"the settings of a search have no {', '.join(sorted(unknown or fields.keys() - zero.keys()))}")
    return fields


cdef class SearchSettings:
    """Settings that all kinds of searches have."""

    def __cinit__(self, *, bint by_value=False, bint prunes=True, uint32_t interval=4000, double temperature=0,
                  uint32_t rollouts_per_leaf=1, **others):
        self.interval = interval
        self.by_value = self.values_decide = by_value
        self.prunes = prunes
        self.temperature = temperature
        self.visits_are_data = temperature > 0
        self.most_iterations = <uint32_t>MAX_ITERATIONS // rollouts_per_leaf  # the rollouts are counted in 32 bits

    def vary(self):
        """From now on new trees differ from those of other searches of the same position even without rollouts: all of
        them change their priors at random, as those of the threads beside the first one always do."""


cdef class TwoPlayerSettings(SearchSettings):
    """The options of a search of a game of two players in turn, without an evaluator.

    With ``guided`` False the search uses the plain tree, which reads only ``exploration`` and ``rollouts_per_leaf``.
    With ``fpu`` None it tries every child before it visits one again. ``share``: of the valuation. All others are
    fields of ``GuidedOptions``.
    """

    def __cinit__(self, *, bint guided, double exploration, uint32_t rollouts_per_leaf, bint by_value, fpu=None,
                  double share=0, Network network=None, **given):
        cdef uint32_t points = rollouts_per_leaf if share == 0 else max(rollouts_per_leaf, <uint32_t>VALUE_STEPS)
        cdef bint puct = given.get("selection") == SELECT_PUCT
        cdef dict base = dict(no_guided)
        base["hand_schedule"] = base["expand_after"] = 1
        if puct:
            given["prior_weight"] = 1.0  # priors are shares
        self.network = network
        self.options = fields_of(base, given, {
            "exploration": exploration, "rollouts": rollouts_per_leaf, "wins_per_visit": points,
            "fpu": fpu if fpu is not None else 0.0 if puct else 1e20,
            "share": max(<uint32_t>(share * SHARES + 0.5), <uint32_t>(share > 0)),
            "network": 0 if network is None else <size_t>&network.data,
        })
        self.guided = guided
        self.proves = guided
        self.values_decide = by_value or (guided and self.options.solver)
        self.visits_are_data = self.options.noise_alpha > 0
        self.most_iterations = visits_that_fit(points, self.options.selection)

    def vary(self):
        self.options.spread = SPREAD


cdef class GeneralSettings(SearchSettings):
    """The options of a search of any other game, and of any search with an evaluator.

    Pass ``evaluator`` or ``policy_value``. Without both, rollouts value the leaves, and the selection is UCB1. With
    ``fpu`` None the search tries every child before it visits one again; with an evaluator, an unvisited child has the
    value of its parent instead. All others are fields of ``GeneralOptions``.
    """

    def __cinit__(self, *, evaluator=None, policy_value=None, fpu=None, bint overlaps=False, **given):
        cdef dict base = dict(no_general)
        base["rollouts_per_leaf"] = base["batch"] = 1
        self.function = evaluator if evaluator is not None else policy_value
        self.by_state = evaluator is None
        self.overlaps = overlaps
        self.options = fields_of(base, given, {
            "puct": self.function is not None, "has_fpu": fpu is not None, "fpu": 0.0 if fpu is None else fpu})
        if self.options.puct:
            self.options.bounds = False
        self.by_line = self.options.keeps_line
        self.by_halving = self.options.gumbel
        self.proves = self.options.solver
        self.visits_are_data = self.temperature > 0 or self.options.noise_alpha > 0 or self.by_halving
        self.values_decide = self.by_value or self.by_line or self.proves or self.options.bounds

    def vary(self):
        self.options.spread = SPREAD


cdef class InformationSettings(GeneralSettings):
    """The options of a search of a game with hidden information."""


Guide = namedtuple("Guide", "rollouts distance actions has_exact_search")
"""The choices that the guide of a game offers: bits of the rollout policies, the highest distance for children, the
number of actions."""


def guide_of(state):
    """What the guide of the state's game offers; None for a game without a guide."""
    cdef const mcts_guide *guide
    if not isinstance(state, NativeState):
        return Guide(*PYTHON_GUIDE)
    check_table(state, True)
    guide = (<NativeState>state).game.guide
    if guide == NULL:
        return None
    return Guide(guide.rollouts, guide.distance, guide.actions, guide.prove != NULL)


cpdef object kind_of(object state):
    """A key for what the options depend on: states with equal keys have the same options and defaults. None for a state
    that is not searched as a game of two players in turn, even without an evaluator.

    It is one number, because each search asks for it, and has no reference to the state's class, which a Searcher would
    then keep alive.
    """
    cdef const mcts_game *game
    cdef const mcts_general *general
    cdef uint64_t kind
    if not isinstance(state, NativeState):
        return None if is_general(state) or is_hidden(state) else 0
    game = (<NativeState>state).game
    general = general_of(game)
    if general != NULL and general.to_move != NULL:
        return None
    check_table(state, True)
    kind = 4 + (8 if valuation_of(game) != NULL else 0)
    if isinstance(state, ConnectFour):
        kind += 1
    elif isinstance(state, MNK):
        kind += 2 if game.max_plies <= 64 else 3
    if game.guide != NULL:
        kind |= 16 | (32 if game.guide.prove != NULL else 0) | (64 if game.guide.actions else 0)
        kind |= <uint64_t>game.guide.rollouts << 32 | <uint64_t>min(game.guide.distance, <uint32_t>MNK_MAX_SIDE) << 16
    return kind


def has_valuation(state):
    """Whether the state's game has a native valuation."""
    return isinstance(state, NativeState) and valuation_of((<NativeState>state).game) != NULL


def default_memory():
    """A quarter of the memory of the machine, or of the container, in bytes."""
    memory = <object>mcts_physical_memory()
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            memory = min(memory, int(file.read()))
    except (OSError, ValueError):
        pass
    return max(memory, 256 * MIB) // 4


def tree_share(uint64_t memory):
    """The bytes of a memory limit that remain for the tree, after the share of compaction."""
    return memory - memory // MARKS
