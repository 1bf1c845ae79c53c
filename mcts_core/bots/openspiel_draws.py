"""Draws of what a player of an OpenSpiel game does not see, for ``HiddenState.determinize``.

A draw depends on what the player knows and on the random numbers, never on what is hidden from them. ``Known`` reads
from the real game what the player saw; a ``Draw`` then invents a game that looks the same to them. It plays forward at
random, as far as the player's views allow. Where it is stuck, because a player shows a card that another one has
been dealt, it does not begin anew: it changes one or two of the earlier hidden events, mostly those that involve this
card, and keeps the change if the rest of the game still fits and comes further (min-conflicts repair: Minton, Johnston,
Philips and Laird, Artificial Intelligence 58, 1992).
"""

from __future__ import annotations

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, OutOfTime
from mcts_core.games.user_states import seconds_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

RESAMPLED = frozenset({"bargaining", "bridge", "hearts", "kuhn_poker", "leduc_poker", "universal_poker"})
"""Games whose own ``resample_from_infostate`` depends on nothing that is hidden from the player. Those of euchre and
oh_hell keep the cards that nobody was dealt, that of colored_trails the others' proposals, and that of blackjack draws
by the place of the real card."""
PASSED = 65
"""Moves after which the players of hearts have passed their cards. Before, its own draws may pass a card twice."""
MOST_TRIED = 200_000
"""Positions that a draw may try."""
PLAIN = 300
"""Of these, positions up to which a draw that is stuck begins anew, so that small games have the exact odds."""
REPAIRS = 40
"""Repairs of one place before the draw goes back further."""
BRANCHES = 30
"""Other hidden moves that one repair tries."""
COMPARED = 8
"""Actions, about, that are compared with the real one to find out whether a player could tell them apart."""
MANY = 40
"""Moves that a player must have for them to be known by that alone."""
CHANCE = -1
"""OpenSpiel's number for chance as a player."""


def draw(game: Any, position: Any, player: int, rng: Any, known: dict[int, Known]) -> Any:
    """A position with the same information state of ``player``. ``known`` keeps what is known of ``position`` for the
    next draw. Raises GameError if none is found, and OutOfTime."""
    kind = game.get_type().short_name
    if kind in RESAMPLED and not (kind == "hearts" and position.history()[0] and len(position.history()) < PASSED):
        try:
            found = position.resample_from_infostate(player, rng.random)
        except RuntimeError:  # not in every version, or not here
            found = None
        if found is not None and view(found, player) == view(position, player):
            return found
    if player not in known:
        known[player] = Known(game, position, player)
    return Draw(known[player], rng).position()


def view(position: Any, player: int) -> tuple[str, bool]:
    """What a player knows, and whether they are to move."""
    return position.information_state_string(player), position.current_player() == player


def check_time() -> None:
    """Raises OutOfTime when the search has to end."""
    if not seconds_left():
        raise OutOfTime("no position that fits what the player knows was found within the time of the search: give it "
                        "more time")


class Entry:
    """What the player knows until it changes, and what changed it."""

    __slots__ = ("action", "hint", "kept", "view")

    def __init__(self, seen: tuple[str, bool]) -> None:
        self.view = seen
        self.action: int | None = None
        """The player's own move."""
        self.hint: int | None = None
        """The action of chance or another player, if the player could see which one it was."""
        self.kept: tuple[int, ...] = ()
        """Outcomes that the player sees later in this deal and that come once, such as their own cards."""


class Known:
    """What a player knew and did from the start of the game to ``position``."""

    def __init__(self, game: Any, position: Any, player: int) -> None:
        self.game, self.player = game, player
        self.mover = position.current_player()
        self.told = f"what player {player} knows after {len(position.full_history())} moves of {shorten(str(game))}"
        final = view(position, player)
        steps = [(step.player, step.action) for step in position.full_history()]
        self.entries = self._entries(self._in_order(steps, final))
        if self.entries is None or self.entries[-1].view != final:
            self.entries = self._entries(steps)
        if self.entries is None or self.entries[-1].view != final:
            raise GameError(f"the position must be reached from the first one of the game to draw what is hidden in "
                            f"it, but its moves lead elsewhere: {shorten(str(position))}")

    def _entries(self, steps: list[tuple[int, int]]) -> Any:
        """The Entry list of these steps; None if they are not legal."""
        player = self.player
        position = self.game.new_initial_state()
        entries = [Entry(view(position, player))]
        deal: int | None = None  # the entry at which the present series of chance events began
        dealt: Any = None  # the position before the last one of these
        for mover, action in steps:
            check_time()
            if position.is_terminal() or position.current_player() != mover or action not in position.legal_actions():
                return None
            last, before = entries[-1], position
            position = position.child(action)
            now = view(position, player)
            if mover != CHANCE:
                deal = dealt = None
            elif deal is None:
                deal = len(entries) - 1
            once = deal is not None and _comes_once(dealt, before, position)
            dealt = before if mover == CHANCE else None
            if mover == player:
                last.action = action
            elif now == last.view:
                continue
            elif self._sees(before, mover, action, last.view, now):
                last.hint = action
                if deal is not None and once:
                    for entry in entries[deal:]:
                        entry.kept = (*entry.kept, action)
            entries.append(Entry(now))
        return entries

    def _in_order(self, steps: list[tuple[int, int]], final: tuple[str, bool]) -> list[tuple[int, int]]:
        """The same steps, with what the player sees of each deal in ascending order where that makes no difference
        to them afterwards: the order in which the cards were dealt must not decide what is drawn."""
        steps = list(steps)
        position = self.game.new_initial_state()
        begin = 0
        while begin < len(steps):
            end = begin
            while end < len(steps) and steps[end][0] == CHANCE:
                end += 1
            if end > begin + 1:
                actions = self._sorted(position, [action for _, action in steps[begin:end]])
                steps[begin:end] = [(CHANCE, action) for action in actions]
            end = max(end, begin + 1)
            for _, action in steps[begin:end]:
                if position.is_terminal() or action not in position.legal_actions():
                    return []
                position.apply_action(action)
            begin = end
        return steps

    def _sorted(self, start: Any, actions: list[int]) -> list[int]:
        """The outcomes of one deal, those that the player sees in ascending order if they know the same at its end."""
        player = self.player
        before, was, seen = start, view(start, player), []
        for place, action in enumerate(actions):
            check_time()
            after = before.child(action)
            now = view(after, player)
            if now != was and self._sees(before, CHANCE, action, was, now):
                seen.append(place)
            before, was = after, now
        changed = True
        while changed:
            changed = False
            for one, two in zip(seen, seen[1:], strict=False):
                if actions[one] > actions[two]:
                    other = list(actions)
                    other[one], other[two] = actions[two], actions[one]
                    end = _after(start, other)
                    if end is not None and view(end, player) == was:
                        actions, changed = other, True
        return actions

    def _sees(self, before: Any, mover: int, action: int, was: tuple[str, bool], now: tuple[str, bool]) -> bool:
        """Whether the player could see which action it was: others would have looked different to them.

        What they could see must not depend on what is hidden, such as how many moves the other one had. So one more
        thing is needed of a player's move: its name stands in what ``player`` knows now, or very many moves look
        different.
        """
        others = [other for other in before.legal_actions() if other != action]
        views = {view(before.child(other), self.player) for other in others[:: len(others) // COMPARED or 1]}
        if now in views:
            return False
        if mover == CHANCE:
            return bool(others)
        name = before.action_to_string(mover, action)
        if now[0].count(name) > was[0].count(name):
            return True
        return len(others) >= MANY and len(views) >= COMPARED


def _comes_once(earlier: Any, before: Any, after: Any) -> bool:
    """Whether an outcome of chance cannot come again in the same deal, like a card and unlike a number of a die: then
    each leaves fewer outcomes for the next one. ``earlier``: the position one outcome before ``before``, or None.

    Which outcomes there were must not decide: they may be hidden.
    """
    one, two = (before, after) if after.is_chance_node() else (earlier, before)
    return one is not None and one.is_chance_node() and set(two.legal_actions()) < set(one.legal_actions())


def _after(start: Any, actions: Iterable[int]) -> Any:
    """The position after outcomes of chance; None if they are not possible."""
    position = start.clone()
    for action in actions:
        if not position.is_chance_node() or action not in position.legal_actions():
            return None
        position.apply_action(action)
    return position


class Line:
    """A game as it may have been, as far as it is known."""

    __slots__ = ("actions", "entries", "free", "positions")

    def __init__(self, positions: list[Any], entries: list[int], actions: list[int], free: list[bool]) -> None:
        self.positions = positions
        self.entries = entries
        """For each position the entry of what the player knows there."""
        self.actions = actions
        self.free = free
        """Whether the player does not know this action."""

    def __len__(self) -> int:
        return len(self.actions)

    def add(self, position: Any, entry: int, action: int, free: bool) -> None:
        self.positions.append(position)
        self.entries.append(entry)
        self.actions.append(action)
        self.free.append(free)

    def until(self, length: int) -> Line:
        """A copy of its beginning."""
        return Line(self.positions[: length + 1], self.entries[: length + 1], self.actions[:length],
                    self.free[:length])

    def cut(self, length: int) -> None:
        del self.positions[length + 1 :], self.entries[length + 1 :], self.actions[length:], self.free[length:]


class Draw:
    """One draw of a position that fits what a player knows."""

    def __init__(self, known: Known, rng: Any, most: int = MOST_TRIED) -> None:
        self.known, self.rng, self.most = known, rng, most
        self.tried = 0
        self.back = 1.0
        """How far the draw goes back where repairs do not help, on average."""

    def position(self) -> Any:
        """The position. Raises GameError if none is found, and OutOfTime."""
        line = self._begin()
        while not self._play_on(line):
            line = self._begin() if self.tried < PLAIN else self._mended(line)
        return line.positions[-1]

    def _begin(self) -> Line:
        return Line([self.known.game.new_initial_state()], [0], [], [])

    def _child(self, position: Any, action: int) -> Any:
        self.tried += 1
        if self.tried > self.most:
            raise GameError(f"no position was found that fits {self.known.told}, in {self.most:,} tries: search "
                            f"another position, or write a state of your own whose determinize() draws what is hidden")
        if self.tried % 16 == 0:
            check_time()
        return position.child(action)

    def _step(self, line: Line, action: int) -> bool:
        """Plays an action that the player does not know, if it fits."""
        entries, at = self.known.entries, line.entries[-1]
        child = self._child(line.positions[-1], action)
        seen = view(child, self.known.player)
        if seen == entries[at].view and entries[at].action is None:
            line.add(child, at, action, True)
        elif at + 1 < len(entries) and seen == entries[at + 1].view:
            line.add(child, at + 1, action, entries[at].hint != action)
        else:
            return False
        return True

    def _play_on(self, line: Line, wanted: list[int] | None = None, stuck: int = 0) -> bool:
        """Plays forward as far as possible, with the actions of ``wanted`` at their places where they fit; returns
        whether that is the end. Until ``stuck``, moves of others that had to be replaced are tried in turn."""
        branches: list[tuple[int, Iterator[int]]] = []
        left = BRANCHES
        while not self._run(line, wanted, stuck, branches):
            if len(line) >= stuck:
                return False
            while branches:
                place, others = branches[-1]
                line.cut(place)
                left -= 1
                if left < 0:
                    return False
                if any(self._step(line, action) for action in others):
                    break
                branches.pop()
            else:
                return False
        return True

    def _run(self, line: Line, wanted: list[int] | None, stuck: int, branches: list[Any]) -> bool:
        known = self.known
        entries, player, last = known.entries, known.player, len(known.entries) - 1
        while True:
            position, at, place = line.positions[-1], line.entries[-1], len(line)
            mover = position.current_player()
            if at == last and mover == known.mover:
                return True
            if position.is_terminal():
                return False
            entry = entries[at]
            if mover == player:
                if entry.action is None or entry.action not in position.legal_actions():
                    return False
                child = self._child(position, entry.action)
                if view(child, player) != entries[at + 1].view:
                    return False
                line.add(child, at + 1, entry.action, False)
                continue
            legal = position.legal_actions()
            if entry.hint is not None and entry.hint in legal:
                child = self._child(position, entry.hint)
                seen = view(child, player)
                if seen == entries[at + 1].view:
                    line.add(child, at + 1, entry.hint, False)
                    continue
                if mover != CHANCE and seen != entry.view:  # what is hidden before it is wrong: no other move fits
                    return False
            if wanted is not None and place < len(wanted) and wanted[place] in legal and self._step(
                    line, wanted[place]):
                continue
            others = self._outcomes(position, entry) if mover == CHANCE else _shuffled(legal, self.rng)
            if not any(self._step(line, action) for action in others):
                return False
            if mover != CHANCE and place < stuck:
                branches.append((place, others))

    def _outcomes(self, position: Any, entry: Entry) -> Iterator[int]:
        """The outcomes of chance in random order, the first one drawn by the probabilities, the next one by those of
        the others; without those that the player sees later."""
        odds = [(action, weight) for action, weight in position.chance_outcomes()
                if weight > 0 and action not in entry.kept]
        if len({weight for _, weight in odds}) <= 1:
            return _shuffled([action for action, _ in odds], self.rng)
        return iter([action for action, _ in sorted(odds, key=lambda each: self.rng.expovariate(each[1]))])

    # ---- repair ------------------------------------------------------------------------------------------------------

    def _mended(self, line: Line) -> Line:
        """A line that comes further than ``line``, or the beginning of it."""
        stuck = len(line)
        for _ in range(REPAIRS):
            other, ended = self._changed(line)
            if other is None:
                continue
            if ended or len(other) > stuck:
                self.back = 1.0
                return other
            if (len(other.positions[-1].legal_actions()) < len(line.positions[-1].legal_actions())
                    or self.rng.random() < 0.2):
                line = other
        line.cut(max(0, stuck - 1 - int(self.rng.expovariate(1.0 / self.back))))
        self.back *= 2.0
        if self.back > 4.0 * stuck + 8.0:
            self.back = 1.0
            return self._begin()
        return line

    def _changed(self, line: Line) -> tuple[Line | None, bool]:
        """The line with a few hidden actions changed, and whether it comes to the end; None if it breaks earlier."""
        stuck = len(line)
        changes = self._changes(line)
        if not changes:
            return None, False
        first = min(changes)
        if changes[first] == line.actions[first] or changes[first] not in line.positions[first].legal_actions():
            return None, False
        wanted = list(line.actions)
        for place, action in changes.items():
            wanted[place] = action
        other = line.until(first)
        if not self._step(other, changes[first]):
            return None, False
        ended = self._play_on(other, wanted, stuck)
        return (other, ended) if ended or len(other) >= stuck else (None, False)

    def _changes(self, line: Line) -> dict[int, int]:
        """Hidden actions that may help where the line is stuck: place -> action."""
        rng = self.rng
        free = [place for place in range(len(line)) if line.free[place]]
        if not free:
            return {}
        position, entry = line.positions[-1], self.known.entries[line.entries[-1]]
        legal = [] if position.is_terminal() else position.legal_actions()
        needed = entry.action if entry.view[1] else entry.hint

        def any_of(places: list[int]) -> int:
            return places[int(rng.random() * len(places))]

        def other(place: int) -> int:
            actions = line.positions[place].legal_actions()
            return int(actions[int(rng.random() * len(actions))])

        if needed is not None and needed not in legal and rng.random() < 0.9:
            dealt = [place for place in free if line.actions[place] == needed]
            blocking = [] if position.is_chance_node() else [
                place for place in free if line.actions[place] in legal]  # cards that must be played first
            moved = [place for place in free if place > (dealt[-1] if dealt else -1)
                     and not line.positions[place].is_chance_node()]  # moves that may have taken it away
            lot, one = rng.random(), any_of(free)
            if moved and lot < 0.4:
                place = any_of(moved)
                return {place: other(place)}
            if dealt and (lot < 0.8 or not blocking):
                place = any_of(dealt)
                if position.is_chance_node():
                    return {place: other(place)}
                return {place: line.actions[one], one: needed}
            if blocking and lot < 0.8:
                changes: dict[int, int] = {}
                for place in blocking if rng.random() < 0.5 else [any_of(blocking)]:
                    one = any_of(free)
                    if rng.random() < 0.5:
                        changes[place] = other(place)
                    elif one not in changes and place not in changes:
                        changes[place], changes[one] = line.actions[one], line.actions[place]
                return changes
            return {one: needed}
        one = any_of(free)
        action = other(one)
        same = next((place for place in free if place > one and line.actions[place] == action), None)
        return {one: action} if same is None else {one: action, same: line.actions[one]}


def _shuffled(actions: list[int], rng: Any) -> Iterator[int]:
    """The actions in random order, drawn as they are needed."""
    count = len(actions)
    while count:
        place = int(rng.random() * count)
        count -= 1
        actions[place], actions[count] = actions[count], actions[place]
        yield actions[count]
