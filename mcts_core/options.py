"""The options of a search: what each means by game. ``option_rows.py`` lists them, ``defaults.py`` has the defaults."""

from __future__ import annotations

import os

from mcts_core import defaults
from mcts_core import option_rows as rows
from mcts_core.arguments import shorten
from mcts_core.engine.request import Requests
from mcts_core.engine.settings import (
    GUIDED_FIELDS,
    ROLLOUTS,
    SELECTIONS,
    GeneralSettings,
    InformationSettings,
    TwoPlayerSettings,
    default_memory,
    guide_of,
    has_valuation,
    tree_share,
)
from mcts_core.errors import InvalidOption
from mcts_core.game import NativeState
from mcts_core.games.connect_four import openings
from mcts_core.games.mnk.position import MNK
from mcts_core.games.mnk.weights import shipped
from mcts_core.games.state_kinds import is_general, is_hidden, is_scored
from mcts_core.games.user_states import require_state
from mcts_core.option_rows import ROWS, as_interval, as_progress, options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.engine.settings import SearchSettings

PROVER_BYTES = 64 << 20
"""Largest memory of a game's exact search; never more than a quarter of the budget."""

EVALUATOR_PROVER_BYTES = 16 << 20
"""The same beside an evaluator, where many games may be played at a time; never more than a 64th of the budget."""


# ---- values ----------------------------------------------------------------------------------------------------------

_seeds: list[int] = []
"""Numbers from the system's generator that no search has had yet."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_seeds.clear)  # else parent and child would draw the same ones


def random_seed() -> int:
    """A seed from the system's generator, asked for 256 at a time: a call of it takes 0.8 us, a fifth of a short
    search."""
    while True:
        try:
            return _seeds.pop()
        except IndexError:  # also when another thread has just taken the last one
            _seeds.extend(memoryview(os.urandom(2048)).cast("Q"))


def limit_memory(options: Any, memory_mb: int) -> None:
    """Gives the dict ``options`` this ``memory_mb`` if it is not given, or is None: Searchers that may be many, or run
    where less memory is, do not take a quarter of the machine's."""
    if options.get("memory_mb") is None:
        options["memory_mb"] = memory_mb


# ---- the options of a Searcher ---------------------------------------------------------------------------------------

_COMMON = tuple(name for name, row in ROWS.items() if row.searches == rows.EVERY_SEARCH)
"""What is the same for every game."""

_BY_GAME = (*defaults.UCT, "final_move")
"""What has defaults by game. The last: __str__ shows it there, also when it was not given."""

_CONDITIONAL = tuple(name for name in ROWS if name not in (*_COMMON, *_BY_GAME))
"""What only some searches know: those of general games, with an evaluator, or with a network."""

_EVALUATED = tuple(options_of(rows.GUMBEL))
"""Of these, those that need an evaluator."""

_NOT_GUMBEL = tuple(options_of(rows.EVALUATOR, rows.GUMBEL))
"""Those that Gumbel noise and sequential halving replace."""

_NOT_NESTED = (*options_of(rows.GENERAL, rows.NESTED), "solver")
"""Those that have no meaning with nested rollouts."""

_ROLLOUT = (*defaults.NOT_PUCT, "selection", "rollout", "rollouts_per_leaf")
"""Who gives one of these, and nothing that PUCT adds, wants a search by rollouts."""

FUNCTIONS = ("evaluator", "policy_value")
"""The functions that value leaves; a search has one of them at most."""


class Options:
    """The options of one Searcher, checked: those that were given, and the settings of a search that they make."""

    __slots__ = (
        "book", "by_halving", "by_rollouts", "conditional", "every", "given", "has_evaluator", "memory", "preset",
        "progress", "prune", "reuse", "seed", "stop_early", "threads",
    )

    def __init__(self, options: dict[str, Any]) -> None:
        """``options`` has every name; None: not given. Raises InvalidOption."""
        own, given, self.conditional = (
            {name: ROWS[name].check(options[name], name) for name in names if options[name] is not None}
            for names in (_COMMON, _BY_GAME, _CONDITIONAL)
        )
        self.given = {**given, "final_move": given.get("final_move", "robust")}
        if "evaluator" in self.conditional and "policy_value" in self.conditional:
            raise InvalidOption("evaluator and policy_value are two forms of the same function; give one of them")
        self.has_evaluator = any(name in self.conditional for name in FUNCTIONS)
        self.by_halving: bool = self.conditional.get("root_policy") == "gumbel"
        """Whether searches share out their iterations by sequential halving."""
        if not self.has_evaluator:
            for name in _EVALUATED:
                if name in self.conditional:
                    raise InvalidOption(f"{name} needs an evaluator or policy_value, "
                                        f"got {self.conditional[name]!r} alone")
        elif "network" in self.conditional:
            raise InvalidOption("network and an evaluator both value the leaves; give one of them")
        elif self.by_halving:
            for name in _NOT_GUMBEL:
                if name in self.conditional or given.get(name, "robust") != "robust":
                    raise InvalidOption(f"{name} has no meaning with root_policy 'gumbel', "
                                        f"got {self.conditional.get(name, given.get(name))!r}")
        else:
            for name in ("gumbel_moves", "gumbel_scale"):
                if name in self.conditional:
                    raise InvalidOption(f"{name} needs root_policy 'gumbel', got {self.conditional[name]!r}")
        if "nested_rollouts" in self.conditional:
            self._check_nested(given)
        self.by_rollouts = given.get("valuation") == "rollout" or (
            "valuation" not in given and given.get("selection") != "puct" and any(name in given for name in _ROLLOUT)
            and not any(name in self.conditional for name in defaults.PUCT))
        self.memory: int = own["memory_mb"] if "memory_mb" in own else default_memory()
        self.preset: str | None = own.get("preset")
        self.seed: int | None = own.get("seed")
        self.stop_early: bool | None = own.get("stop_early")
        self.reuse: bool = own.get("reuse", True)
        self.prune: bool = own.get("prune", True)
        self.book: bool = own.get("book", self.preset != "uct")
        self.progress = as_progress(options["progress"])
        self.every = as_interval(options["every"])
        self.threads: int = ROWS["threads"].check(options["threads"], "threads")
        if "policy_value" in self.conditional and self.threads > 1:
            raise InvalidOption(f"threads must be 1 with policy_value, which gets positions one at a time, "
                                f"got {self.threads}")
        if not self.has_evaluator and self.memory < self.threads << 20:  # with an evaluator there is one tree
            raise InvalidOption(f"memory_mb must be at least 1 for each of the {self.threads} threads, "
                                f"got {shorten(options['memory_mb'])}")

    def _check_nested(self, given: dict[str, Any]) -> None:
        """Nested rollouts keep the best line, and nothing of what a tree needs."""
        if self.has_evaluator:
            raise InvalidOption("nested_rollouts plays rollouts, so it has no meaning with an evaluator: leave out one "
                                "of them")
        if given.get("final_move", "best_line") != "best_line":
            raise InvalidOption(f"nested_rollouts plays the best line, so final_move must be left out or 'best_line', "
                                f"got {given['final_move']!r}")
        for name in _NOT_NESTED:
            value = {**given, **self.conditional}.get(name)
            if value or (value is not None and name not in ("solver", "temperature")):
                raise InvalidOption(f"{name} has no meaning with nested_rollouts, which has no tree: leave it out, got "
                                    f"{value!r}")
        self.given["final_move"] = "best_line"

    def __str__(self) -> str:
        shown = {
            "preset": self.preset, **self.given, "memory_mb": self.memory / 2**20, "seed": self.seed,
            "stop_early": self.stop_early, "threads": self.threads if self.threads > 1 else None,
            "reuse": None if self.reuse else False, "prune": None if self.prune else False,
            "book": None if self.book == (self.preset != "uct") else self.book,
            **self.conditional,
            "progress": self.progress or None, "every": None if self.every == rows.EVERY else self.every,
        }
        return ", ".join(f"{name}={value!r}" for name, value in shown.items() if value is not None)

    def is_two_player(self, state: Any) -> bool:
        """Whether ``state`` is searched as a game of two players in turn, in a plain or a guided tree."""
        return not (self.has_evaluator or is_general(state) or is_hidden(state))

    def general_kind(self, state: Any) -> str:
        """States of one kind have the same settings, where the search is none of a game of two players in turn."""
        return "hidden" if is_hidden(state) else self._proofs_of(state)

    def _proofs_of(self, state: Any) -> str:
        return defaults.proofs_of(state, by_rollouts=not self.has_evaluator)

    def requests(self, served: type[SearchSettings]) -> Requests:
        """What makes the requests of a Searcher whose core searches with settings of the class ``served``."""
        return Requests(self, served=served, seed=self.seed, stop_early=self.stop_early,
                        early_in_time=self.preset != "uct", reuse=self.reuse, by_halving=self.by_halving,
                        evaluates=self.has_evaluator)

    def of(self, state: Any) -> dict[str, Any]:
        """The options that a search of ``state`` has, the defaults of its game included."""
        if not self.is_two_player(state):
            return self._of_general(state)
        base = defaults.UCT if self.preset == "uct" else defaults.of_game(state, by_rollouts=self.by_rollouts)
        options = {**base, **self.given}
        if options["selection"] == "puct":
            given = {name: value for name, value in self.conditional.items() if name in defaults.PUCT}
            options = {**defaults.PUCT, **options, **given}
            if isinstance(state, MNK) and options["valuation"] not in ("rollout", 0.0) and options["network"] is None:
                options["network"] = shipped()
            for name in defaults.NOT_PUCT:
                if options.pop(name) != defaults.UCT[name] and name in self.given:
                    raise InvalidOption(f"{name} {self.given[name]!r} has no meaning with selection 'puct'")
        elif "exploration" not in self.given and options["selection"] != base["selection"]:
            options["exploration"] = defaults.EXPLORATION[options["selection"]]
        return options

    def settings(self, state: Any) -> TwoPlayerSettings | GeneralSettings:
        """The same in the form in which the native code reads them. Raises what a search of ``state`` would raise for
        options that its game does not know."""
        if self.threads > 1 and not self.has_evaluator and not isinstance(state, NativeState):
            require_state(state)  # that it is none would be worse
            raise InvalidOption(
                f"threads must be 1 for a game written in Python, which one thread at a time can play, "
                f"got {self.threads} for {shorten(state)}"
            )
        return self.two_player_settings(state) if self.is_two_player(state) else self._general_settings(state)

    def two_player_settings(self, state: Any) -> TwoPlayerSettings:
        options = self.of(state)
        if options["final_move"] == "best_line":
            name = "nested_rollouts" if "nested_rollouts" in self.conditional else "final_move 'best_line'"
            raise InvalidOption(f"{name} needs a general game of one player, got {shorten(state)}")
        puct = options["selection"] == "puct"
        for name, value in self.conditional.items():
            if not puct or name not in defaults.PUCT:
                needed = "an evaluator or a general game" if name not in defaults.PUCT else (
                    "an evaluator or selection 'puct'" if name in defaults.EVALUATOR else "selection 'puct'")
                raise InvalidOption(f"{name} {value!r} needs {needed}, got {shorten(state)}")
        if "network" in self.conditional and not isinstance(state, MNK):
            raise InvalidOption(f"network {self.conditional['network']!r} is only for five in a row, "
                                f"got {shorten(state)}")
        guide = guide_of(state)
        plain = (
            (options["selection"], options["rollout"], options["fpu"]) == ("ucb1", "random", None)
            and not any(options.get(name) for name in ("solver", "prior_weight", "expand_distance", "symmetry"))
            and options["expand_after"] == 1
        )
        if guide is None:
            for name in ("selection", "rollout", "solver", "fpu", "expand_after", "expand_distance", "prior_weight"):
                if name in self.given and self.given[name] != defaults.UCT[name]:
                    raise InvalidOption(
                        f"{type(state).__name__} has rules and no knowledge, so {name} must be "
                        f"{defaults.UCT[name]!r}, got {self.given[name]!r}"
                    )
        valuation = options["valuation"]
        share = 1.0 if valuation == "network" else 0.0 if valuation == "rollout" else valuation
        if share > 0.0:
            if not has_valuation(state):
                raise InvalidOption(f"valuation {valuation!r} needs a game with a valuation, which {shorten(state)} "
                                    f"does not have: five in a row has one on boards with sides of 5 to 22")
            if not puct:
                chosen = "selection" in self.given or self.preset == "uct"
                raise InvalidOption(f"valuation {valuation!r} needs selection 'puct', got {options['selection']!r}"
                                    + ("" if chosen else ", the default for this game; set selection, too"))
        common = {
            "exploration": options["c_puct" if puct else "exploration"],
            "rollouts_per_leaf": options["rollouts_per_leaf"],
            "by_value": options["final_move"] == "max", "prunes": self.prune, "interval": options["exchange_every"],
        }
        if guide is None or plain:
            return TwoPlayerSettings(guided=False, **common)
        rollouts, farthest, actions, has_prover = guide
        rollout = ROLLOUTS.index(options["rollout"])
        if not rollouts >> rollout & 1:
            known = [name for number, name in enumerate(ROLLOUTS) if rollouts >> number & 1]
            raise InvalidOption(
                f"rollout must be one of {', '.join(map(repr, known))} for {shorten(state)}, got {options['rollout']!r}"
            )
        if options["selection"] in ("rave", "grave") and not actions:
            raise InvalidOption(
                f"selection {options['selection']!r} needs a game whose rollouts report their moves, "
                f"which those of {type(state).__name__} do not"
            )
        prover_bytes = min(PROVER_BYTES, self.memory // 4) if options["solver"] and has_prover else 0
        return TwoPlayerSettings(**{name: options[name] for name in GUIDED_FIELDS & options.keys()} | common | {
            "guided": True, "selection": SELECTIONS.index(options["selection"]), "fpu": options["fpu"],
            "hand_schedule": options.get("rave_schedule") == "hand",
            "policy": {"rollout": rollout, "distance": min(options["expand_distance"], farthest),
                       "symmetry": options["symmetry"], "unranked": 0},
            "prover_bytes": prover_bytes, "tree_bytes": tree_share(self.memory - prover_bytes),
            "ask_book": prover_bytes > 0 and self.book and openings.ready_for(state),
            "share": share, "network": options.get("network"), "noise_alpha": options.get("noise_alpha") or 0.0,
        })

    def _of_general(self, state: Any) -> dict[str, Any]:
        known = (defaults.EVALUATOR if "evaluator" in self.conditional else
                 defaults.POLICY_VALUE if "policy_value" in self.conditional else defaults.GENERAL_ROLLOUTS)
        known = {**known, **defaults.PROOFS[self._proofs_of(state)]}
        if "solver" in known and not self.has_evaluator and self.preset == "uct":
            known = {**known, "solver": False}
        if self.by_halving:
            known = {name: value for name, value in known.items() if name == "final_move" or name not in _NOT_GUMBEL}
            known |= defaults.GUMBEL
        elif "nested_rollouts" in self.conditional:
            known = {name: value for name, value in known.items() if name not in _NOT_NESTED}
        for name, value in self.given.items():
            if name not in known and value != defaults.UCT[name]:
                reason = (f"{type(state).__name__} has rewards or a discount"
                          if name == "solver" and is_general(state) and is_scored(state) else
                          f"{type(state).__name__} is a general game without constant_sum for two players, and an "
                          f"evaluator is given"
                          if name == "solver" and is_general(state) and not is_hidden(state) else
                          "an evaluator is given" if self.has_evaluator and (
                              name in defaults.GENERAL_ROLLOUTS or not is_general(state)) else
                          f"{type(state).__name__} is a general game" if is_general(state) else
                          f"{type(state).__name__} has hidden information")
                raise InvalidOption(f"{name} {value!r} has no meaning here: {reason}")
        for name in defaults.PUCT:
            if name in self.conditional and name not in known:
                value = self.conditional[name]
                if name in defaults.EVALUATOR:
                    raise InvalidOption(f"{name} {value!r} needs an evaluator for such a game, got {shorten(state)}")
                other = "an evaluator is given" if self.has_evaluator else f"{type(state).__name__} is a general game"
                raise InvalidOption(f"{name} {value!r} needs selection 'puct' and has no meaning here: {other}")
        return {**known, **{name: self.given[name] for name in known if name in self.given}, **self.conditional}

    def _general_settings(self, state: Any) -> GeneralSettings:
        options = self._of_general(state)
        final_move = options.pop("final_move")
        options["by_value"], options["keeps_line"] = final_move == "max", final_move == "best_line"
        if options["keeps_line"] and (self.has_evaluator or options.get("temperature")):
            other = "an evaluator" if self.has_evaluator else f"temperature {options['temperature']!r}"
            raise InvalidOption(f"final_move 'best_line' plays the best line of rollouts, so it has no meaning with "
                                f"{other}")
        if self.has_evaluator and options.get("rollout_moves"):
            raise InvalidOption("rollout_moves limits rollouts, so it has no meaning with an evaluator")
        options["prunes"] = self.prune
        if "exchange_every" in options:
            options["interval"] = options.pop("exchange_every")
        options["noise_alpha"] = options.get("noise_alpha") or 0.0
        options["gumbel"] = options.pop("root_policy", None) == "gumbel"
        if "evaluator" in self.conditional and self.threads > 1:
            options["overlaps"] = True
        if options.get("solver"):
            proofs = self._proofs_of(state)
            options["prover_bytes"] = min(EVALUATOR_PROVER_BYTES, self.memory // 64)
            options["bounds"] = proofs in ("bounds", "chance") and not options["keeps_line"]
            options["solver"] = proofs != "bounds"
        options["nested"] = options.pop("nested_rollouts", 0)
        if options["nested"]:
            options["nested_bytes"], options["prunes"] = tree_share(self.memory // self.threads), False
        if not is_hidden(state):
            return GeneralSettings(**options)
        if options["nested"]:
            raise InvalidOption(f"nested_rollouts needs a game without hidden information, got {shorten(state)}")
        if self.has_evaluator:
            raise InvalidOption("an evaluator needs a game in which every player sees everything; a game with hidden "
                                "information is searched by rollouts")
        return InformationSettings(**options)
