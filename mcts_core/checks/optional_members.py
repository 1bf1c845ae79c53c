"""What only some searches ask of positions written in Python: observations, indices of moves and rollouts."""

from __future__ import annotations

import re

from mcts_core.arguments import shorten
from mcts_core.checks.contract import GameEnds
from mcts_core.errors import GameError, InvalidState
from mcts_core.game import CHANCE
from mcts_core.games.state_kinds import has_member, is_hidden, member
from mcts_core.games.user_states import UserStates, as_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from typing import Any

    from mcts_core.checks.contract import Contract, View

CLOSE = 1e-6
"""How far the result of a rollout may be from that of its moves, as a share of the larger one above 1."""


class OptionalMembers:
    """Asks positions for the optional members that the first position has."""

    def __init__(self, contract: Contract, choice: random.Random) -> None:
        self.contract, self.choice = contract, choice
        start = contract.start
        self.user: UserStates | None = None
        try:
            user = UserStates(start, contract.general)
            self.observes = callable(member(start, "observation")) and not is_hidden(start)
            self.indexes = self.observes and (callable(member(start, "action")) or has_member(start, "actions"))
            self.actions = as_count(member(start, "actions", None), 1, (1 << 30) - 1) or 0
        except (InvalidState, GameError):  # the contract tells it
            return
        self.user = user

    def check(self, state: Any, view: View) -> None:
        """Asks a position in which the game goes on."""
        if self.user is None:
            return
        if self.observes and view.chances is None:
            try:
                self.ask("observation()", "planes", state)
            except ImportError:  # without numpy nothing can observe
                self.observes = self.indexes = False
        if self.indexes and view.chances is None:
            self.ask("action()", "indices", state, view.moves, self.actions)
        if self.user.rolls:
            self.roll(state, view)

    def ask(self, part: str, method: str, state: Any, *arguments: Any) -> Any:
        """The answer as a search would read it; where it would raise GameError, that is a problem and ends the game."""
        assert self.user is not None
        try:
            return self.user.ask(method, state, *arguments)
        except GameError as error:
            if isinstance(error.__cause__, ImportError):
                raise error.__cause__ from None
            text = re.sub(r"^\w+\.\w+\(.*?\) (?=must|raised)", "", str(error))
            self.contract.tell(part, type(error.__cause__).__name__, text)
            raise GameEnds from None

    def roll(self, state: Any, view: View) -> None:
        """Lets the position play a rollout twice, and plays its moves."""
        contract, seed, part = self.contract, self.choice.getrandbits(64), "rollout()"
        values, moves = self.ask(part, "rollout", state, seed)
        contract.compare(view, contract.look(state), f"rollout({seed}) changed the position", part)
        again, other = self.ask(part, "rollout", state, seed)
        if (again, other) != (values, moves):
            contract.tell(part, "seed", f"must return the same for the same seed: draw with random.Random(seed). It "
                                        f"returned {shorten((values, moves))}, then {shorten((again, other))}")
            raise GameEnds
        worth = self.worth(state, moves)
        if worth is not None and any(abs(value - right) > CLOSE * max(1.0, abs(value), abs(right))
                                     for value, right in zip(values, worth, strict=True)):
            contract.tell(part, "sum", f"returned {shorten(values)} for moves that are worth {shorten(worth)}: "
                                       f"{shorten(moves)}")

    def worth(self, state: Any, moves: list[Any]) -> list[float] | None:
        """What moves are worth for each player, counted from ``state``; None where the game goes on after them."""
        contract, weight = self.contract, 1.0
        totals = [0.0] * contract.players
        view = contract.look(state)
        for number, move in enumerate(moves):
            if view.result is not None or move not in view.moves:
                what = "the game is over" if view.result is not None else f"only {shorten(view.moves)} are legal"
                contract.tell("rollout()", "moves", f"must return legal moves, but returned {shorten(move)} as move "
                                                    f"{number + 1} of {shorten(moves)}, where {what}")
                raise GameEnds
            state = contract.child(state, move, view)
            view = contract.look(state)
            if contract.scored:
                totals = [total + weight * gain for total, gain in zip(totals, contract.rewards_of(state), strict=True)]
                if view.to_move != CHANCE:  # outcomes of chance belong to the move before them
                    weight *= contract.discount or 1.0
        if view.result is None:
            return None
        return [total + weight * value for total, value in zip(totals, view.result, strict=True)]
