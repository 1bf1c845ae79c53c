"""The contract of a game with hidden information: ``observation_key`` and ``determinize``."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field

from mcts_core.arguments import shorten
from mcts_core.checks.contract import GameEnds, equal
from mcts_core.words import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mcts_core.checks.contract import Contract, View

DRAWS = 2
"""Positions of ``determinize`` for each position that is examined closely, beside the first two."""
KEYED = 20
"""Positions of a player, at least, before it is suspicious that all have the same key."""
REPEATED = "determinize(player, rng) must draw all that is hidden with rng, so that a seed repeats a search"


@dataclass(slots=True)
class Known:
    """The keys of a player so far."""

    key: Any
    """The first one."""
    differ: bool = False
    count: int = 0
    depths: set[int] = field(default_factory=set)
    """Moves before the positions."""


class Draws:
    """What the players of one game know, and the positions that are drawn to fit it."""

    def __init__(self, contract: Contract, choice: random.Random) -> None:
        self.contract, self.choice = contract, choice
        self.drawn = self.redrawn = 0
        """Positions of ``determinize``, and those of them that differ from the position itself."""
        self.known: dict[Any, Known] = {}
        self.compared = self.hidden = 0
        """Keys of other players that were compared with those of the position itself, and those that differ."""
        self.moved = self.varied = 0
        """Positions for which a draw changed such a key, and those of them whose draws differ from one another."""

    def check(self, state: Any, view: View) -> None:
        """Checks what the player to move knows, and the positions that fit it."""
        player = view.to_move
        key = self.key_of(state, player)
        if self.differ(self.key_of(state, player), key):
            text = f"observation_key({player}) of one position returned two different keys, one of them {shorten(key)}"
            self.contract.tell("observation_key()", "changed", text)
            raise GameEnds
        known = self.known.setdefault(player, Known(key))
        known.depths.add(len(self.contract.path))
        known.count += 1
        known.differ = known.differ or self.differ(known.key, key)
        before = self.keys_of_others(state, player)
        seed = self.choice.getrandbits(64)
        one, two = self.draw(state, view, key, seed), self.draw(state, view, key, seed)
        draws = [one, *(self.draw(state, view, key, self.choice.getrandbits(64)) for _ in range(DRAWS))]
        comparable = getattr(type(state), "__eq__", None) is not object.__eq__
        if comparable and equal(one, two) is False:
            self.contract.tell("determinize()", "random", REPEATED)
        self.drawn += len(draws)
        self.redrawn += sum(each is not state and not (comparable and equal(each, state) is True) for each in draws)
        self.contract.compare(view, self.contract.look(state), "determinize() changed the position", "determinize()")
        now = {player: self.key_of(state, player), **self.keys_of_others(state, player)}
        for each, was in {player: key, **before}.items():
            if each in now and self.differ(was, now[each]):
                text = (f"determinize() changed the position that it was called on: observation_key({each}) was "
                        f"{shorten(was)} and is {shorten(now[each])}; it must return a new position")
                self.contract.tell("determinize()", "changed key", text)
                raise GameEnds
        shown = [self.keys_of_others(drawn, player) for drawn in draws]
        shared = [each for each in before if all(each in keys for keys in shown)]
        changed = [self.differ(before[each], keys[each]) for keys in shown for each in shared]
        self.compared += len(changed)
        self.hidden += sum(changed)
        if any(changed):
            self.moved += 1
            self.varied += any(self.differ(shown[0][each], keys[each]) for keys in shown for each in shared)

    def constant_keys(self) -> Iterator[str]:
        """Hints at players whose key never changes."""
        for player, known in self.known.items():
            if known.key is not None and not known.differ and known.count >= KEYED and len(known.depths) > 1:
                yield (f"observation_key({player}) is {shorten(known.key)} in all {known.count:,} positions that were "
                       f"looked at: the search takes them for one. It must contain everything that the player knows")

    def draw(self, state: Any, view: View, key: Any, seed: int) -> Any:
        """A position of ``determinize``, checked; ``key``: what the player to move knows."""
        part, player = "determinize()", view.to_move
        call = f"determinize({player}, rng)"
        before = random.getstate()
        drawn = self.contract.call(part, state.determinize, player, random.Random(seed))
        if random.getstate() != before:
            random.setstate(before)
            self.contract.tell(part, "random", REPEATED)
        if drawn is None:
            self.contract.tell(part, "returned", f"{call} must return a position, got None")
            raise GameEnds
        other = self.contract.look(drawn)
        if other.result is not None or other.to_move != player:
            got = "one in which the game is over" if other.result is not None else f"one with to_move {other.to_move}"
            self.contract.tell(part, "mover", f"{call} must return a position in which {player} is to move, got {got}")
            raise GameEnds
        known = self.key_of(drawn, player)
        if self.differ(known, key):
            text = (f"{call} must return a position that fits what the player knows: observation_key({player}) is "
                    f"{shorten(key)}, and of the position returned {shorten(known)}")
            self.contract.tell(part, "key", text)
            raise GameEnds
        return drawn

    def keys_of_others(self, state: Any, player: Any) -> dict[Any, Any]:
        """What names the knowledge of the players who are not to move, as far as the game says it."""
        players = range(self.contract.players) if self.contract.general else (1, -1)
        keys = {}
        for each in players:
            if each != player:
                with suppress(Exception):  # only the key of the player to move is needed
                    keys[each] = state.observation_key(each)
        return keys

    def key_of(self, state: Any, player: Any) -> Any:
        """What names the knowledge of a player, checked; None without ``observation_key``."""
        part = "observation_key()"
        method = self.contract.call(part, getattr, state, "observation_key", None)
        if not callable(method):
            return None
        key = self.contract.call(part, method, player)
        try:
            hash(key)
        except TypeError:
            text = f"observation_key({player}) must return a hashable value, got {shorten(key)}"
            self.contract.tell(part, "hash", text)
            raise GameEnds from None
        except Exception as error:
            self.contract.tell(part, "raised", f"__hash__() of a key raised {told(error)}")
            raise GameEnds from None
        return key

    def differ(self, one: Any, two: Any) -> bool:
        """Whether two keys are different."""
        try:
            return bool(one != two)
        except Exception as error:
            text = f"__eq__() of a key raised {told(error)}"
            self.contract.tell("observation_key()", "raised", text)
            raise GameEnds from None
