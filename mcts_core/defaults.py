"""The default options of a search, by game. ``bench/TUNING.md`` describes how they were found."""

from __future__ import annotations

from mcts_core import option_rows as rows
from mcts_core.engine.settings import ROLLOUTS, guide_of, has_valuation
from mcts_core.game import NativeState
from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.games.mnk.position import MNK
from mcts_core.games.state_kinds import has_constant_sum, is_general, is_hidden, is_scored, may_have_chance
from mcts_core.option_rows import options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TACTICAL = ROLLOUTS.index("tactical")
"""The bit of tactical rollouts in the set of rollout policies of a guide."""

UCT: Mapping[str, Any] = options_of(rows.UCB, rows.NESTED)
"""Textbook UCT: no knowledge beyond the rules. The other defaults start from it."""

RULES_ONLY: Mapping[str, Any] = {**UCT, "solver": True}
"""Defaults for any game of which only the rules are known."""

CONNECT_FOUR: Mapping[str, Any] = {
    **RULES_ONLY,
    "rollout": "decisive",
    "expand_after": 8,
    "node_proofs": 4,
    "root_proofs": 8,
    "exchange_every": 1000,
}

SMALL_BOARD: Mapping[str, Any] = {
    **RULES_ONLY,
    "rollout": "decisive",
    "leaf_proofs": 16,
    "node_proofs": 16,
    "root_proofs": 8,
}
"""Defaults for m,n,k games of at most 64 cells, which exact search may solve."""

LARGE_BOARD: Mapping[str, Any] = {
    **RULES_ONLY,
    "selection": "grave",
    "exploration": 0.05,
    "rollout": "tactical",
    "expand_after": 4,
    "expand_distance": 1,
    "prior_weight": 4.0,
    "leaf_proofs": 100,
    "node_proofs": 4,
    "root_proofs": 2,
    "exchange_every": 500,
}

NETWORK_BOARD: Mapping[str, Any] = {
    **RULES_ONLY,
    "selection": "puct",
    "valuation": "network",
    "expand_distance": 2,
    "leaf_proofs": 150,
    "node_proofs": 16,
    "root_proofs": 12,
    "exchange_every": 500,
}
"""Defaults for five in a row on boards that the network supports."""

PUCT: Mapping[str, Any] = options_of(rows.PUCT, rows.UCB)
"""Options that selection by PUCT adds."""

NOT_PUCT = tuple(options_of(rows.UCB, rows.PUCT))
"""Options that PUCT does not use."""

GENERAL_ROLLOUTS: Mapping[str, Any] = options_of(rows.GENERAL)
"""Defaults for general games with rollouts."""

EVALUATOR: Mapping[str, Any] = {**options_of(rows.EVALUATOR), "c_puct": 0.625}
"""Defaults for any game with an evaluator of batches."""

GUMBEL: Mapping[str, Any] = options_of(rows.GUMBEL, rows.EVALUATOR)
"""What ``root_policy="gumbel"`` adds."""

POLICY_VALUE: Mapping[str, Any] = {**EVALUATOR, "batch": 1}
"""Defaults for any game with an evaluator of single states."""

PROOFS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "bounds": {"solver": True},
    "tree": {"solver": True},
    "chance": {"solver": True},
    "exact": {"solver": True, "leaf_proofs": 8, "root_proofs": 16},
}
"""What searches in the general and the information tree prove. ``bounds``: score bounds, in searches of general games
by rollouts. ``tree``: wins, losses and draws, in games of two players with a constant sum. ``chance``: both, in such
games with chance. ``exact``: with exact search, where the game has one; its budgets cost less than an evaluation by a
network. ``none``: nothing, in other general games with an evaluator, with rewards on the way or with hidden
information."""

EXPLORATION: Mapping[str, float] = {"ucb1": 0.5**0.5, "ucb1-tuned": 1.0, "rave": 0.1, "grave": 0.1}
"""Default exploration of a selection that is not the default for its game."""


def proofs_of(state: Any, *, by_rollouts: bool) -> str:
    """Which of ``PROOFS`` a search of ``state`` has in the general or the information tree."""
    if is_hidden(state):
        return "none"
    if is_general(state):
        if has_constant_sum(state):
            return "chance" if by_rollouts and may_have_chance(state) else "tree"
        return "bounds" if by_rollouts and not is_scored(state) else "none"
    guide = guide_of(state) if isinstance(state, NativeState) else None
    return "exact" if guide is not None and guide.has_exact_search else "tree"


def of_game(state: Any, *, by_rollouts: bool = False) -> Mapping[str, Any]:
    """The strongest known options for the game of ``state``; with ``by_rollouts``, those without a network."""
    if isinstance(state, ConnectFour):
        return CONNECT_FOUR
    if isinstance(state, MNK):
        if state.m * state.n <= 64:
            return SMALL_BOARD
        if not by_rollouts and has_valuation(state):
            return NETWORK_BOARD
        guide = guide_of(state)
        if guide is None or not guide.rollouts >> TACTICAL & 1:
            return {**LARGE_BOARD, "rollout": "decisive"}
        return LARGE_BOARD
    return RULES_ONLY
