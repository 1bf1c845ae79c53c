"""The search as a planner in gymnasium environments (extra [gymnasium]).

``Planner`` needs no knowledge of an environment and no training: it copies the environment, tries actions in the copies
and plays the one that did best. ``gymnasium`` is imported when a Planner is made.

Source of the interface: M. Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning Environments",
arXiv:2407.17032.
"""

from __future__ import annotations

import copy
import math
import random
import time
from dataclasses import dataclass

from mcts_core.arguments import as_int, as_number, shorten
from mcts_core.bots.budgets import check
from mcts_core.bots.gymnasium_copies import DeepCopies, OwnStates, copier_of
from mcts_core.bots.gymnasium_methods import observations_name_states
from mcts_core.bots.gymnasium_spaces import (
    MOST_ACTIONS,
    actions_of,
    begun,
    import_gymnasium,
    is_discrete,
    key_of,
    mask_of,
    stepped,
)
from mcts_core.errors import GameError, InvalidOption, InvalidState
from mcts_core.field_docs import documented
from mcts_core.games.mnk.position import TicTacToe
from mcts_core.option_rows import checked
from mcts_core.options import random_seed
from mcts_core.searcher import Searcher
from mcts_core.words import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any, Self

    from mcts_core.results import Stats

__all__ = ["Episode", "Planner"]

METHODS = ("line", "states", "sequences")
MOST_DISCOUNT = 0.999
"""With 1.0, a detour costs nothing: in FrozenLake, all actions then had one value, and the Planner went back and forth
for ever; with 0.9999 it took 30 to 40 steps instead of 6."""
LOOK_SHARE = 0.5
"""The share of a time limit that may go to the choice of the method, until that is made."""


@documented
@dataclass(frozen=True, slots=True)
class Episode:
    """One episode that a Planner played."""

    total: float
    """The sum of its rewards, without a discount."""
    steps: int
    """Steps of the environment."""
    terminated: bool
    """Whether the environment said that the episode is at its end."""
    truncated: bool
    """Whether the environment cut the episode off, by its limit of time."""
    actions: tuple[Any, ...]
    """The actions, one for each step."""


class Planner:
    """Chooses actions in a gymnasium environment by search in copies of it.

    env: the environment to act in. It is copied; only ``play`` makes steps in it.
    seconds, iterations: the budget of each action, those of ``Searcher.search``; the default is 100 iterations.
    horizon: steps that a plan looks ahead, 1 to 10,000. What comes later is ignored, and so is the time limit
        of the environment (``TimeLimit``).
    discount: weight of a reward, by every step that it is later; above 0, at most 1. More than 0.999 counts as 0.999,
        because a detour has to cost something.
    method: how the search remembers what it tried. ``"states"``: by observation, which must show all that matters; each
        state's value is that of its best action. ``"line"``: by the sequence of actions, for environments without
        chance; it keeps and plays the best sequence. ``"sequences"``: by the sequence of actions, with or without
        chance (open loop), and plays what did best on average. By default, the first search chooses: ``"states"``
        where observations are discrete, and where random walks in copies find that observations come back and that what
        follows equal ones is the same; else ``"sequences"``. With a time limit, half of it may go to these walks, and
        where that is not enough, the first searches use ``"sequences"`` until it is. The attribute ``method`` and the
        repr say which method it is.
    copies: how the state of the environment is copied. ``"deepcopy"`` (the default) copies the environment as
        ``copy.deepcopy`` does. ``"state"``: by its own ``get_state()`` and ``set_state(state)``, or ``clone_state()``
        and ``restore_state(state)``, in one environment that ``make`` makes. ``"replay"``: by the seed and the options
        of the episode and the actions since, in one environment of that kind; for environments without chance that
        cannot be copied. The episode must be begun with ``reset`` and continued with ``step`` of the Planner.
    make: a function that returns a new environment of the same kind, for ``"state"`` and ``"replay"``; by default
        ``gymnasium.make`` of the environment's spec.
    actions: where actions are continuous (Box), how many of them are tried: those of a grid over the space and, where
        there is room, random ones. Discrete ones are all tried, or those of ``info["action_mask"]`` where there is one.
    widening: for many or continuous actions, progressive widening: a position that was visited n times tries n **
        widening of the actions, above 0 and at most 1. Then ``actions`` may be large, and those of a Box are points
        that are spread over the space, its bounds included. Not with ``method="line"``.
    key: for ``method="states"``, a function that names an observation by a hashable value, such as one that rounds
        it. By default, different observations are different states, so continuous ones hardly come twice.
    hold: rollouts repeat a random action up to this many times, which moves heavy things farther.
    determinize: a function ``determinize(env, rng)`` that draws anew what is hidden in ``env``, a copy without its
        wrappers, such as cards that were dealt face down. It must leave what was observed as it is. ``rng`` is a
        ``numpy.random.Generator``. It is called once for each iteration. Not with ``method="line"``.
    seed: of the Planner's own random numbers, also those of the copies, and of its first search; each later search has
        a seed of its own (``Searcher``), so a Planner that comes back to a state does not repeat itself for ever.
    options: those of a ``Searcher``.

    Copies draw their chance from ``np_random`` and from their spaces, for which the Planner has a generator of its own:
    it cannot foresee what the environment will draw. An environment with another source of chance shows its future to
    its copies.

    Raises InvalidOption, InvalidState for an environment whose actions cannot be listed, ImportError.
    """

    @checked({})
    def __init__(
        self, env: Any, *, seconds: float | None = None, iterations: int | None = None, horizon: int = 100,
        discount: float = 0.99, method: str | None = None, copies: str = "deepcopy",
        make: Callable[[], Any] | None = None, actions: int = 9, widening: float | None = None,
        key: Callable[[Any], Hashable] | None = None, hold: int = 1,
        determinize: Callable[[Any, Any], object] | None = None, seed: int | None = None, **options: Any,
    ) -> None:
        gymnasium = import_gymnasium()
        import numpy

        if not isinstance(env, gymnasium.Env):
            raise InvalidOption(f"env must be a gymnasium environment, not a vector environment, got {shorten(env)}")
        self.env = env
        self.horizon = as_int(horizon, "horizon", 1, 10_000)
        self.discount = min(as_number(discount, "discount", 0.0, 1.0, above=True), MOST_DISCOUNT)
        self.hold = as_int(hold, "hold", 1, 1000)
        if method is not None and method not in METHODS:
            raise InvalidOption(f"method must be {' or '.join(map(repr, METHODS))}, got {shorten(method)}")
        self.widening = 0.0 if widening is None else as_number(widening, "widening", 0.0, 1.0, above=True)
        if self.widening and method == "line":
            raise InvalidOption(f"widening needs method 'states' or 'sequences', got 'line' and {widening!r}")
        if key is not None and not callable(key):
            raise InvalidOption(f"key must be a function of an observation, got {shorten(key)}")
        self.key = key
        if determinize is not None and not callable(determinize):
            raise InvalidOption(f"determinize must be a function of an environment and a random generator, got "
                                f"{shorten(determinize)}")
        if determinize is not None and method == "line":
            raise InvalidOption("determinize needs method 'states' or 'sequences', got 'line', which is for "
                                "environments without chance")
        if options.get("nested_rollouts") is not None:
            raise InvalidOption(f"nested_rollouts has no meaning in a Planner, because actions have the same names at "
                                f"every step, got {shorten(options['nested_rollouts'])}")
        self.determinize = determinize
        first = random_seed() if seed is None else as_int(seed, "seed", 0, 2**64 - 1)
        self._random = numpy.random.default_rng(first)
        self._actions = actions_of(env.action_space, as_int(actions, "actions", 1, MOST_ACTIONS), self._random,
                                   self.widening > 0)
        self._copier = copier_of(copies, env, make, self._random)
        self._began: tuple[int, Any] | None = None
        self._played: list[Any] = []
        self._chosen: tuple[Any, Any, int] | None = None
        """The root of the last search, its move, and the steps of the Planner before it."""
        self._plan: tuple[int, tuple[Any, ...]] = 0, ()
        self._mask: Any = None
        self._observation: Any = None
        self.model = object()
        """What all states of this Planner's environment share."""
        if seconds is None and iterations is None:
            iterations = 100
        self._budget: dict[str, Any] = {"seconds": seconds, "iterations": iterations}
        self.method = method
        """How the search remembers what it tried; None: the first search chooses."""
        self._chooses = method is None
        """Whether the method is still to be chosen, by ``_look``."""
        self._look: Iterator[bool | None] | None = None
        self._options = options if seed is None else {"seed": first, **options}
        Searcher(**self._options)  # wrong options raise here, not in the first search
        check(Searcher(), TicTacToe(), seconds, iterations)
        self._engine: Searcher | None = None if method is None else self._make_engine()

    def _make_engine(self) -> Searcher:
        options = dict(self._options)
        if self.method == "line":
            options.setdefault("final_move", "best_line")
        options.setdefault("rollout_moves", self.horizon)
        return Searcher(**options)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_look": None}  # a generator cannot be copied: the copy looks anew

    def __repr__(self) -> str:
        method = "None, the first search chooses" if self.method is None else repr(self.method)
        return f"Planner({self.env}, method={method}, horizon={self.horizon}, discount={self.discount:g})"

    # ---- acting ------------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Resets the environment and returns what its ``reset`` returned.

        seed: of the environment, for its ``reset``; None: one drawn by the Planner.
        options: the options of the environment's ``reset``.

        Raises GameError if that is no pair (observation, info).
        """
        if seed is None:
            seed = int(self._random.integers(2**31))
        kept = copy.deepcopy(options)
        observation, info = begun(self.env, seed, options)
        self._began, self._played, self._chosen = (seed, kept), [], None
        self._plan = 0, ()
        self._observation = observation
        self._mask = mask_of(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Any]:
        """Takes the step ``action`` in the environment and returns what its ``step`` returned.

        Raises GameError if these are not five values, or if the reward is not a number from -1e100 to 1e100.
        """
        taken = copy.deepcopy(action)
        observation, reward, terminated, truncated, info = stepped(self.env, action)
        self._played.append(taken)
        self._observation = observation
        self._mask = mask_of(info)
        return observation, reward, terminated, truncated, info

    def search(self, observation: Any = None, info: Any = None) -> Any:
        """The action to take where the environment is now.

        ``observation``, ``info``: what the last ``reset`` or ``step`` of the environment returned; not needed after
        those of the Planner.

        Raises GameError if the environment fails, or if ``info["action_mask"]`` has not a 0 or 1 for each action, or
        allows none.
        """
        if observation is not None:
            self._observation, self._mask = observation, mask_of(info)
        if self._observation is None:
            raise InvalidState("there is no observation yet: call reset(), or give search() what the environment's "
                               "reset() or step() returned")
        begin = time.perf_counter()
        if self._chooses:
            self._choose_method(begin)
        assert self._engine is not None
        root = self._root()
        self._chosen = None
        seconds = self._budget["seconds"]
        if seconds is not None:
            seconds = max(seconds - (time.perf_counter() - begin), (1.0 - LOOK_SHARE) * seconds)
        try:
            move = self._engine.search(root, seconds, iterations=self._budget["iterations"])
        except GameError as error:
            if error.__cause__ is None or isinstance(error.__cause__, GameError):
                raise
            raise GameError(f"planning in copies of {type(self.env.unwrapped).__name__} failed: "
                            f"{told(error.__cause__)}; call env.reset() before planning, if you have not"
                            ) from error.__cause__
        if self.method == "line":
            self._chosen = root, move, len(self._played)
            self._plan = len(root.moves), tuple(self._engine.stats().pv)
        return self._actions.of(move)

    def play(self, *, seed: int | None = None, progress: Callable[[int, float, Stats], object] | None = None,
             most_steps: int = 1_000_000) -> Episode:
        """Plays an episode from ``reset`` to its end, and returns it.

        seed: of the environment, for its ``reset``; None: one drawn by the Planner.
        progress: a function that is called after each step with the number of steps, the sum of rewards and the Stats
            of the search.
        most_steps: steps after which it ends at the latest.

        Raises the errors of ``reset``, ``search`` and ``step``, and what ``progress`` raises.
        """
        self.reset(seed=seed)
        total, steps, terminated, truncated = 0.0, 0, False, False
        while not (terminated or truncated) and steps < most_steps:
            _, reward, terminated, truncated, _ = self.step(self.search())
            total += float(reward)
            steps += 1
            if progress is not None:
                progress(steps, total, self.stats())
        return Episode(total, steps, bool(terminated), bool(truncated), tuple(self._played))

    def stats(self) -> Stats:
        """The figures of the last search; moves are numbers of actions. Values count rewards from the step to take."""
        if self._engine is None:
            raise InvalidState("there are no statistics: no search has run yet")
        return self._engine.stats()

    # ---- planning ----------------------------------------------------------------------------------------------------

    def _choose_method(self, begin: float) -> None:
        """Sets the method for this environment, for the time being where the time of the search is too short.

        An interrupt leaves the choice to the next search. An error of the environment, and an observation that cannot
        be looked up, mean ``"sequences"``: the search itself meets and reports an error.
        """
        found: bool | None = is_discrete(self.env.observation_space) or None
        look, self._look = self._look, None
        try:
            if found is None and look is None:
                start = _Position(self, self._copier.save(self), (), self._name(self._observation),
                                  self._actions.legal(self._mask))
                look = observations_name_states(self, start, int(self._random.integers(2**31)))
            seconds = self._budget["seconds"]
            until = math.inf if seconds is None else begin + LOOK_SHARE * seconds
            while found is None and time.perf_counter() < until:
                assert look is not None
                found = next(look)
        except Exception:
            found = False
        method = "states" if found else "sequences"
        if method != self.method:
            self.method, self._engine = method, None
            self._engine = self._make_engine()
        self._look, self._chooses = look, found is None

    def _name(self, observation: Any) -> Hashable:
        """What two observations have in common if they are the same."""
        return key_of(observation if self.key is None else self.key(observation))

    def _root(self) -> Any:
        legal = self._actions.legal(self._mask)
        snapshot = self._copier.save(self)
        if self.method == "line":
            return _Position(self, snapshot, self._line(), self._name(self._observation), legal)
        kind = _Observed if self.method == "states" else _Drawn
        return kind(self, self._copier, snapshot, self._observation, legal, 0.0, False)

    def _line(self) -> tuple[Any, ...]:
        """Names the position to search: the actions since a search began anew. It goes on with the one before where the
        environment shows what a copy shows after the action that was chosen."""
        if self._chosen is not None:
            before, move, steps = self._chosen
            taken = self._played[steps:]
            unseen = self._began is None and not taken  # a loop of the user's own, which steps the environment itself
            if unseen or (len(taken) == 1 and self._actions.is_at(move, taken[0])):
                child = before.play(move)
                if child.seen == self._name(self._observation):
                    moves: tuple[Any, ...] = child.moves
                    return moves
        self._plan = 0, ()
        return (object(),)

    def _planned(self, depth: int, draw: random.Random) -> tuple[Any, ...]:
        """The moves with which a rollout begins, at so many moves since the search began anew: as many of the last
        search's best line as chance wants, in every other rollout."""
        begin, line = self._plan
        rest = line[depth - begin:]
        return rest[:draw.randint(1, len(rest))] if rest and draw.random() < 0.5 else ()


# ---- states of the search --------------------------------------------------------------------------------------------

def _roll_out(planner: Planner, simulated: Any, seed: int, legal: list[int], depth: int = 0
              ) -> tuple[list[float], list[int]]:
    """Random actions in ``simulated`` up to the horizon, after those that are planned for so many moves later."""
    draw = random.Random(seed)
    planned = planner._planned(depth, draw) if depth else ()
    of, hold, discount = planner._actions.of, planner.hold, planner.discount
    total, weight, held = 0.0, 1.0, 0
    moves: list[int] = []
    move = legal[0]
    for step in range(planner.horizon):
        if step < len(planned) and planned[step] in legal:
            move, held = planned[step], 1
        elif held == 0:
            move = legal[int(draw.random() * len(legal))]
            held = 1 if hold == 1 else draw.randint(1, hold)
        held -= 1
        _, reward, terminated, truncated, info = stepped(simulated, of(move))
        moves.append(move)
        total += weight * float(reward)
        weight *= discount
        if terminated or truncated:
            break
        mask = mask_of(info)
        if mask is not None:
            legal, held = planner._actions.legal(mask), 0
    return [total], moves


class _Position:
    """A state of an environment without chance: a value, by the actions since the beginning."""

    players, to_move = 1, 0
    __slots__ = ("_gain", "_legal", "_over", "_planner", "_snapshot", "discount", "moves", "seen")

    def __init__(self, planner: Planner, snapshot: Any, moves: tuple[Any, ...], seen: Hashable, legal: list[int],
                 gain: float = 0.0, over: bool = False) -> None:
        self._planner, self._snapshot, self._legal, self._gain, self._over = planner, snapshot, legal, gain, over
        self.seen = seen
        self.discount = planner.discount
        self.moves = moves

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, _Position) and self._planner is other._planner and self.moves == other.moves)

    def __hash__(self) -> int:
        return hash(self.moves)

    def legal_moves(self) -> list[int]:
        return self._legal

    def play(self, move: int) -> _Position:
        planner = self._planner
        simulated = planner._copier.restore(self._snapshot)
        action = planner._actions.of(move)
        observation, reward, terminated, truncated, info = stepped(simulated, action)
        over = bool(terminated or truncated)
        legal = planner._actions.legal(mask_of(info), over)
        if isinstance(planner._copier, DeepCopies):
            snapshot = simulated
        elif isinstance(planner._copier, OwnStates):
            snapshot = getattr(simulated.unwrapped, planner._copier._get)()
        else:
            snapshot = *self._snapshot[:-1], [*self._snapshot[-1], action]
        return _Position(planner, snapshot, (*self.moves, move), planner._name(observation), legal, float(reward), over)

    def rewards(self) -> list[float]:
        return [self._gain]

    def returns(self) -> list[float] | None:
        return [0.0] if self._over else None

    def rollout(self, seed: int) -> tuple[list[float], list[int]]:
        planner = self._planner
        return _roll_out(planner, planner._copier.restore(self._snapshot), seed, self._legal, len(self.moves))


class _Drawn:
    """A state of an environment with chance, which each descent draws anew.

    ``play`` steps on in the descent's own copy, so a state is good until the next one is made.
    """

    players, to_move, hidden_information = 1, 0, True
    __slots__ = ("_copier", "_gain", "_legal", "_observation", "_over", "_planner", "_snapshot", "discount", "model",
                 "widening")

    def __init__(self, planner: Planner, copier: Any, snapshot: Any, observation: Any, legal: list[int], gain: float,
                 over: bool) -> None:
        self._planner, self._copier, self._snapshot, self._observation = planner, copier, snapshot, observation
        self._legal, self._gain, self._over = legal, gain, over
        self.discount = planner.discount
        self.model = planner.model
        self.widening = planner.widening

    def determinize(self, player: int, rng: random.Random) -> Self:
        planner, simulated = self._planner, self._copier.restore(self._snapshot)
        if planner.determinize is not None:
            planner.determinize(simulated.unwrapped, planner._random)
        return type(self)(planner, None, simulated, self._observation, self._legal, 0.0, False)

    def legal_moves(self) -> list[int]:
        return self._legal

    def play(self, move: int) -> Self:
        if self._copier is not None:
            raise GameError("only a determinized state of an environment can be played")
        actions = self._planner._actions
        observation, reward, terminated, truncated, info = stepped(self._snapshot, actions.of(move))
        over = bool(terminated or truncated)
        return type(self)(self._planner, None, self._snapshot, observation, actions.legal(mask_of(info), over),
                          float(reward), over)

    def rewards(self) -> list[float]:
        return [self._gain]

    def returns(self) -> list[float] | None:
        return [0.0] if self._over else None

    def rollout(self, seed: int) -> tuple[list[float], list[int]]:
        return _roll_out(self._planner, self._snapshot, seed, self._legal)


class _Observed(_Drawn):
    """The same, known by its observation."""

    __slots__ = ()

    def observation_key(self, player: int) -> Hashable:
        return self._planner._name(self._observation)
