"""What only some searches ask of positions written in Python: observations, indices of moves, rollouts and moves in
place."""

from __future__ import annotations

import re

from mcts_core.arguments import shorten
from mcts_core.checks.contract import GameEnds, Worth
from mcts_core.errors import GameError, InvalidState
from mcts_core.game import import_numpy
from mcts_core.games.state_kinds import has_member, is_hidden, member
from mcts_core.games.user_states import UserStates, as_count
from mcts_core.words import cause_of, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from typing import Any

    from mcts_core.checks.contract import Contract, View

CLOSE = 1e-6
"""Tolerance between the result of a rollout and that of its moves: relative above 1, absolute below."""
MOST_REPLAYED = 1000
"""Moves of a rollout, at most, that are played."""


class OptionalMembers:
    """Asks positions for the optional members that the first position has."""

    def __init__(self, contract: Contract, choice: random.Random) -> None:
        self.contract, self.choice = contract, choice
        start = contract.start
        self.user: UserStates | None = None
        try:
            user = UserStates(start, contract.general)
            self.observes = callable(member(start, "observation")) and not is_hidden(start) and _has_numpy()
            self.indexes = self.observes and (callable(member(start, "action")) or has_member(start, "actions"))
            self.pushes = callable(member(start, "copy")) and callable(member(start, "push"))
            given = member(start, "actions")
        except (InvalidState, GameError):  # the games or the searches at the end tell it
            return
        self.user = user
        self.actions = as_count(given, 1, (1 << 30) - 1) or 0
        if self.indexes and given is not None and not self.actions:
            contract.tell("actions", "value", f"must be an int from 1, the number of entries of a policy, got "
                                              f"{shorten(given)}")

    def check(self, state: Any, view: View) -> None:
        """Asks a position in which a player is to move. A search asks no other one."""
        if self.user is None:
            return
        if self.observes:
            planes = self.ask("observation()", "planes", state)
            if not import_numpy().isfinite(planes).all():
                self.contract.tell("observation()", "numbers", f"must contain finite numbers, got {shorten(planes)}")
        if self.indexes:
            self.ask("action()", "indices", state, view.moves, self.actions)
        if self.user.rolls:
            self.roll(state, view)
        if self.pushes:
            self.push(state, view)

    def ask(self, part: str, method: str, state: Any, *arguments: Any) -> Any:
        """The answer as a search would read it. A GameError is recorded as a problem and ends the game."""
        assert self.user is not None
        try:
            return self.user.ask(method, state, *arguments)
        except GameError as error:
            text = re.sub(r"^\w+\.\w+\(.*?\) (?=must|raised)", "", f"{error}{cause_of(error)}")
            self.contract.tell(part, type(error.__cause__).__name__, text)
            raise GameEnds from None

    def roll(self, state: Any, view: View) -> None:
        """Lets the position play a rollout twice, and plays its moves."""
        contract, seed, part = self.contract, self.choice.getrandbits(64), "rollout()"
        values, moves = self.ask(part, "rollout", state, seed)
        contract.compare(view, contract.look(state), f"rollout({seed}) changed the position", part)
        again, other = self.ask(part, "rollout", state, seed)
        if again != values or not self.equal(other, moves):
            contract.tell(part, "seed", f"must return the same for the same seed: draw with random.Random(seed). It "
                                        f"returned {shorten((values, moves))}, then {shorten((again, other))}")
            raise GameEnds
        worth = self.worth(state, moves)
        if worth is not None and any(abs(value - right) > CLOSE * max(1.0, abs(value), abs(right))
                                     for value, right in zip(values, worth, strict=True)):
            contract.tell(part, "sum", f"returned {shorten(values)} for moves that are worth {shorten(worth)}: "
                                       f"{shorten(moves)}")

    def push(self, state: Any, view: View) -> None:
        """Plays a move in place on a copy, and compares the copy with the position that ``play`` returns."""
        contract = self.contract
        move = self.choice.choice(view.moves)
        child = contract.child(state, move, view)
        played = contract.look(child)
        copy = self.ask("copy()", "copied", state)
        contract.compare(view, contract.look(copy), "the copy differs from the position", "copy()")
        contract.call("push()", copy.push, move)
        changed = f"push({shorten(move)}) on a copy changed the position that was copied"
        contract.compare(view, contract.look(state), changed, "copy()")
        other = f"push({shorten(move)}) led to another position than play()"
        contract.compare(played, contract.look(copy), other, "push()")
        if contract.rewards_of(child) != contract.rewards_of(copy):
            contract.tell("push()", "rewards", f"{other}: rewards() was {shorten(contract.rewards_of(child))} and is "
                                               f"{shorten(contract.rewards_of(copy))}")

    def equal(self, one: Any, two: Any) -> bool:
        """Whether moves are equal; it is a problem if they cannot be compared."""
        try:
            return bool(one == two)
        except Exception as error:
            self.contract.tell("rollout()", "moves", f"must return moves that can be compared, but their comparison "
                                                     f"raised {told(error)}")
            raise GameEnds from None

    def worth(self, state: Any, moves: list[Any]) -> list[float] | None:
        """What moves are worth for each player, counted from ``state``; None where the game goes on after them, or
        they are too many."""
        contract, length = self.contract, len(self.contract.path)
        worth = Worth(contract)
        view = contract.look(state)
        try:
            for number, move in enumerate(moves[:MOST_REPLAYED]):
                if view.result is not None or not any(self.equal(move, legal) for legal in view.moves):
                    told = "the game is over" if view.result is not None else f"only {shorten(view.moves)} are legal"
                    contract.tell("rollout()", "moves", f"must return legal moves, but returned {shorten(move)} as "
                                                        f"move {number + 1} of {shorten(moves)}, where {told}")
                    raise GameEnds
                state = contract.child(state, move, view)
                contract.path.append(move)
                view = contract.look(state)
                worth.add(state, view)
        finally:
            del contract.path[length:]
        return None if view.result is None else worth.at_end(view.result)


def _has_numpy() -> bool:
    try:
        import_numpy()
    except ImportError:  # then nothing observes
        return False
    return True
