"""``check_game``: plays random games and reports every rule of the contract of a position that it sees broken."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from contextlib import suppress

from mcts_core.arguments import as_duration, as_int, shorten
from mcts_core.checks.check_report import CheckProgress, CheckReport, Problem
from mcts_core.checks.contract import (
    CHANGED,
    DRAINED,
    REORDERED,
    UNEQUAL,
    Contract,
    GameEnds,
    View,
    Worth,
    equal,
    missing_members,
)
from mcts_core.checks.hidden_information import Draws
from mcts_core.checks.optional_members import OptionalMembers
from mcts_core.engine.loop import clock
from mcts_core.errors import GameError, GameOver, InvalidState, OutOfTime
from mcts_core.game import CHANCE, NativeState
from mcts_core.games.board_position import BoardPosition
from mcts_core.games.state_kinds import has_member, is_hidden, member, refuse_hidden
from mcts_core.games.user_states import mend_members, set_end
from mcts_core.option_rows import as_flag, as_interval, as_progress
from mcts_core.progress import of_checks, watching
from mcts_core.searcher import Searcher
from mcts_core.words import cause_of, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

CAUSES = (
    "players", "discount", "to_move", "winner()", "returns()", "rewards()", "legal_moves()", "moves",
    "chance_outcomes()", "play()", "position", "observation_key()", "determinize()", "actions", "observation()",
    "action()", "rollout()", "legal_moves", "play",
)
"""Parts whose problems make others fail too: they are reported first."""
MOST_CHILDREN = 40
"""Moves, at most, that are tried in a position that is examined closely."""
CLOSELY = 2.0
"""Positions of a game, on average, that are examined closely."""
CLOSE_PLIES = 300
"""Moves of the first game after which fewer and fewer of its positions are examined closely."""
ENDLESS_GAMES = 3
"""After so many games that did not end no more are played."""
ENOUGH = 20
"""After so many different problems no more games are played."""
DRAWN = 20
"""Positions of ``determinize``, at least, before it is suspicious that all were the position itself."""
DECIDED = 20
"""Won games, at least, before it is suspicious that the player who moved last won none of them, or one player won all.
With more than two players, this number counts for each player but one."""
MANY_MOVES = 100
"""Legal moves of a position from which a search of a few hundred iterations is too short."""
KEPT = 64
"""Positions, at most, that are looked at again after the games."""
ITERATIONS = 200
"""Iterations of each search at the end."""
SEARCH = 1.0
"""Seconds that such a search may take when the time is over."""


def check_game(
    game: Any,
    games: int = 2000,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    max_plies: int = 10_000,
    raise_on_error: bool = False,
    progress: bool | Callable[[CheckProgress], object] | None = None,
    every: float = 0.1,
) -> CheckReport:
    """Plays ``games`` random games and reports every rule of the contract that it sees broken there.

    It starts no further game after ``seconds``, and a hint then says how many games it played. A game that is being
    played then is played to its end.

    ``game`` is a position to start from, a class of positions, or a game of ``native_game``. General games work too.

    In every position, it checks that ``to_move``, ``winner()`` and ``legal_moves()`` (in a general game ``returns()``
    and ``chance_outcomes()``) are valid, that no move is listed twice, that ``play`` does not change the old position,
    and that the game ends within ``max_plies`` moves. It checks ``rewards()`` and ``discount`` where a general game has
    them. In some positions, it checks that repeated calls give the same results; some it asks again after the games,
    because positions may share data that later moves change. It also checks optional members of a game written in
    Python: ``name`` returns a different name for each move and ``action`` a different index; ``observation`` returns
    numbers of one shape (with numpy, and not with hidden information); ``rollout``, in general games, returns legal
    moves and what they are worth, and the same for the same seed.

    With hidden information, it also checks in some positions that ``observation_key`` is hashable, and that the
    positions of ``determinize`` fit what the player to move knows and are drawn with the generator that it was given.

    For a native game, it also checks that functions write only into the state and the list of moves (by guard bytes
    around them), that their results are in range and agree with each other, that native rollouts have the results of
    random games, and that the values and weights of a valuation are in range and always the same for a position. After
    the first rollout that does not end, it only plays random games. At the end it runs short searches.

    ``hints`` of the report lists observations that may be mistakes or may be part of the game, such as a game in which
    the player who moves last never wins.

    ``progress``: True draws a bar. A function gets a CheckProgress when a game is over and ``every`` seconds (0.001 to
    1e9) have passed since its last call, and after the last game. If it raises an exception, the call raises it.

    A game without problems may still have wrong rules. The same ``seed`` plays the same games. Raises InvalidState if
    ``game`` is not a position, GameOver for a finished one, and InvalidOption. Raises GameError if the first position
    cannot be made, and with ``raise_on_error`` if there is a problem; the message is then the text of the report.
    """
    count = as_int(games, "games", 1, 10**9)
    first = as_int(seed, "seed", 0, 2**64 - 1)
    longest = as_duration(seconds)
    limit = as_int(max_plies, "max_plies", 1, 10**9)
    raises = as_flag(raise_on_error, "raise_on_error")
    watch, interval = as_progress(progress, "a CheckProgress"), as_interval(every)
    begin = time.perf_counter()
    start = _first_position(game)
    run = _Run(start, random.Random(first), limit, clock() + longest)
    with watching(watch, of_checks) as tell:
        report_at = begin + interval if tell is not None else math.inf
        for number in range(count):
            if run.is_enough():
                break
            run.play_game(number)
            now = time.perf_counter()
            is_last = number + 1 == count or now >= begin + longest
            if tell is not None and (now >= report_at or is_last):
                tell(CheckProgress(run.games, count, run.positions, len(run.contract.seen), now - begin))
                report_at = time.perf_counter() + interval
            if is_last:
                break
        if not run.is_enough():
            run.finish(first)
    if run.games < count and not run.is_enough():
        run.cut = f"only {run.games:,} of {count:,} games were played within {longest:g} s: seconds= allows more time"
    report = run.report(_name_of(start), first, time.perf_counter() - begin)
    if raises and not report.ok:
        raise GameError(str(report))
    return report


def _first_position(game: Any) -> Any:
    missing = missing_members(game)
    if isinstance(game, type) or (missing and callable(game)):
        try:
            game = game()
        except GameError:  # from a game of native_game, whose message says what is wrong
            raise
        except Exception as error:
            text = f"{shorten(game)}() must return the first position, but raised {told(error)}"
            raise InvalidState(text) from error
        missing = missing_members(game)
    if missing:
        raise InvalidState(
            f"a position must have to_move, legal_moves(), play(move) and winner(), or in a general game players, "
            f"to_move, legal_moves(), play(move) and returns(); {shorten(game)} has no {' and no '.join(missing)}"
            f"{mend_members(game, missing[-1])}"
        )
    if not is_hidden(game):
        refuse_hidden(game)
    return game


def _name_of(start: Any) -> str:
    rules = getattr(start, "rules", None)
    name = getattr(rules, "name", None) if isinstance(start, NativeState) else None
    return name if isinstance(name, str) else type(start).__name__


class _Run:
    """The games of one call and the problems found in them."""

    def __init__(self, start: Any, choice: random.Random, limit: int, end: float) -> None:
        self.start, self.choice, self.limit = start, choice, limit
        self.end = end
        """When the time is over, by the clock of searches."""
        self.native = isinstance(start, NativeState)
        self.hidden = is_hidden(start)
        self.contract = Contract(start)
        self.is_tabled = self.native and not self.contract.general
        """Whether close looks compare the functions of a game table, until a rollout of them does not end."""
        self.draws = Draws(self.contract, choice)
        self.optional = None if self.native else OptionalMembers(self.contract, choice)
        self.sums: list[float] = []
        self.games = self.finished = self.positions = self.endless = self.plies = self.longest = 0
        self.results = {1: 0, 0: 0, -1: 0}
        self.samples: list[tuple[Any, list[Any]]] = []
        self.first: View | None = None
        """The answers of the first position before any game."""
        self.incomparable: str | None = None
        """What __eq__() or __hash__() of positions raised."""
        self.cut: str | None = None
        """The hint at games that were not played."""
        self.is_late = False
        """The time was over during a draw: the rest of the game is not examined closely."""
        self.is_damaged = False
        """The first position has changed since, so no further game can start there."""
        self.kept: list[tuple[Any, View, list[Any]]] = []
        """Positions, their answers and the moves before them."""
        self.won: Counter[Any] = Counter()
        """Games that each player won; in a general game, those in which he alone has the highest result."""
        self.last_won = 0
        """Those that the player who moved last won."""
        self.last_movers: set[Any] = set()
        """The players who moved last in them."""
        self.movers: set[Any] = set()

    def report(self, name: str, seed: int, seconds: float) -> CheckReport:
        contract = self.contract
        ranked = sorted(contract.seen.values(), key=lambda each: (
            CHANGED not in each.text, [*CAUSES, each.part].index(each.part)))
        return CheckReport(
            game=name,
            problems=tuple(Problem(each.part, each.text, each.moves, each.count) for each in ranked),
            games=self.games,
            positions=self.positions,
            wins=self.results[1],
            draws=self.results[0],
            losses=self.results[-1],
            values=tuple(each / self.finished for each in self.sums) if contract.general else None,
            mean_length=self.plies / self.finished if self.finished else 0.0,
            longest=self.longest,
            most_moves=contract.most_moves,
            seconds=seconds,
            seed=seed,
            hints=tuple(self.hints()),
        )

    def hints(self) -> Iterator[str]:
        contract, draws = self.contract, self.draws
        if contract.seen:
            return
        yield from self.general_hints() if contract.general else self.ordinary_hints()
        if not self.hidden and has_member(self.start, "determinize"):
            yield ("the game has determinize(), but not hidden_information = True: without that, searches see "
                   "everything and never call it")
        if self.cut is not None:
            yield self.cut
        if contract.most_moves >= MANY_MOVES and not self.has_priors():
            yield (f"there are positions with {contract.most_moves:,} moves, so a search needs at least "
                   f"{2 * contract.most_moves:,} iterations there, better {10 * contract.most_moves:,}: it tries each "
                   f"move once, in random order, before it can prefer any")
        if contract.unordered:
            yield ("legal_moves() returns a set, whose order may differ from one process to the next, so a seed does "
                   "not repeat a search: return sorted(...) or a list")
        lacking = None if self.native or self.hidden else self.missing_comparison()
        if lacking is not None:
            yield (f"positions have no {lacking}, so a Searcher starts each search from scratch: with @dataclass("
                   f"frozen=True) or __eq__() and __hash__() it goes on with the tree of the last search")
        elif self.incomparable is not None:
            yield (f"positions cannot be compared, so the search does not reuse its tree: __eq__() or __hash__() "
                   f"raised {self.incomparable}")
        constant = list(draws.constant_keys())
        if draws.drawn >= DRAWN and not draws.redrawn:
            yield (f"determinize() returned the position itself {draws.drawn:,} times: if something is hidden in it, "
                   f"draw that part anew with rng, or the search sees it")
        elif draws.drawn >= DRAWN and draws.compared and not draws.hidden and not constant:
            yield (f"determinize() never changed what the other players know, in {draws.drawn:,} positions: if "
                   f"something is hidden in it, draw that part anew with rng, or the search sees it; if you do draw "
                   f"it, observation_key() leaves it out: the key of a player must contain what only he knows, such "
                   f"as his own cards")
        elif draws.moved >= DRAWN and not draws.varied:
            yield (f"determinize() always drew the same for a position, in {draws.moved:,} positions: if more than one "
                   f"fits what the player knows, draw what is hidden with the rng that it is given, and not with a "
                   f"generator of the same seed each time")
        yield from constant

    def ordinary_hints(self) -> Iterator[str]:
        """Hints at who moves and who wins."""
        decided = self.won.total()
        if len(self.movers) == 1 and self.plies >= DECIDED:
            yield (f"the same player is to move in all {self.positions:,} positions. If the players take turns, play() "
                   f"must return a position whose to_move is -to_move")
        elif decided >= DECIDED and not self.last_won:
            yield (f"the player who moves last never wins: {decided:,} games, all won by the other player. If the "
                   f"last move is meant to win, winner() has the wrong sign: after that move to_move is the opponent, "
                   f"so the winner is -to_move")
        elif decided >= DECIDED and len(self.won) == 1:
            yield (f"player {'+1' if self.won[1] else '-1'} won all {decided:,} games. If the other one can "
                   f"win, winner() has a mistake: it must name the player who won, 1 or -1, and not the one who moved "
                   f"last")

    def general_hints(self) -> Iterator[str]:
        """The same for general games. Not with chance or hidden information, which may explain such results."""
        players, decided, movers = self.contract.players, self.won.total(), self.movers - {None}
        if players == 1 or self.hidden or CHANCE in movers:
            return
        enough, part = DECIDED * (players - 1), "rewards() or returns()" if self.contract.rewarded else "returns()"
        if len(movers) == 1 and self.plies >= enough:
            yield (f"only player {min(movers)} of {players} is ever to move. If the players take turns, play() must "
                   f"return a position whose to_move is the next player")
        elif decided >= enough and not self.last_won and len(self.last_movers) > 1:
            yield (f"the player who moves last never wins: in all {decided:,} games with one winner, another player "
                   f"has the highest result. If the last move is meant to win, {part} has a mistake: after that "
                   f"move to_move is the next player, and not the one who made it")
        elif decided >= enough and len(self.won) == 1:
            yield (f"player {min(self.won)} has the highest result in all {decided:,} games with one winner. If "
                   f"another player can win, {part} has a mistake: the values must be in the order of the players, "
                   f"that of player 0 first, whoever is to move or moved last")

    def missing_comparison(self) -> str | None:
        """The method without which a search cannot find a position again in its last tree; None: it can."""
        if isinstance(getattr(self.start, "moves", None), (list, tuple)):
            return None
        kind: Any = type(self.start)
        return "__eq__()" if kind.__eq__ is object.__eq__ else "__hash__()" if kind.__hash__ is None else None

    def has_priors(self) -> bool:
        """Whether a search need not try all moves: it knows which are promising, or widens."""
        return isinstance(self.start, BoardPosition) or (self.hidden and bool(member(self.start, "widening", 0.0)))

    def is_enough(self) -> bool:
        """Whether more games would show nothing new, or take too long."""
        return len(self.contract.seen) >= ENOUGH or self.endless >= ENDLESS_GAMES or self.is_damaged

    # ---- one game ----------------------------------------------------------------------------------------------------

    def play_game(self, number: int) -> None:
        """Plays one random game. The first positions of the first game are all examined closely, others at times."""
        contract = self.contract
        contract.path = []
        self.games += 1
        state = self.start
        mover = None
        worth = Worth(contract)
        closely = CLOSELY * self.games / (1 + self.positions)
        try:
            while True:
                view = contract.look(state)
                self.positions += 1
                self.movers.add(view.to_move)
                if not contract.path:
                    self.compare_first(view)
                else:
                    worth.add(state, view)
                if view.result is not None:
                    if not contract.path:
                        told = f"{'returns' if contract.general else 'winner'} {view.result}"
                        hint = "" if contract.general or view.result else " (while it goes on, winner() must be None)"
                        raise GameOver(f"the game is over ({told}): there is nothing to check in {shorten(state)}; "
                                       f"give a position in which it goes on{hint}")
                    break
                if len(contract.path) >= self.limit:
                    self.endless += 1
                    text = f"a random game did not end within {self.limit:,} moves (max_plies)"
                    contract.tell("play", "endless", text)
                    raise GameEnds
                share = closely if number else (CLOSE_PLIES / max(CLOSE_PLIES, len(contract.path))) ** 2
                if not self.is_late and self.choice.random() < share:
                    self.look_closely(state, view)
                    if not self.samples or (len(self.samples) < 64 and self.choice.random() < 0.2):
                        self.samples.append((state, list(contract.path)))
                move = self.choice.choices(view.moves, view.chances)[0]
                child = contract.child(state, move, view)
                contract.compare(view, contract.look(state), f"play({shorten(move)}) {CHANGED}")
                contract.path.append(move)
                state, mover = child, view.to_move
        except GameEnds:
            self.look_back()
            return
        self.finished += 1
        if contract.general:
            gained = worth.at_end(view.result)
            self.sums = [total + value for total, value in zip(self.sums or [0.0] * len(gained), gained, strict=True)]
            best = [player for player, value in enumerate(gained) if value == max(gained)]
        else:
            self.results[view.result] += 1
            best = [view.result] if view.result else []
        if len(best) == 1:
            self.won[best[0]] += 1
            self.last_won += best[0] == mover
            self.last_movers.add(mover)
        self.plies += len(contract.path)
        self.longest = max(self.longest, len(contract.path))

    def compare_first(self, view: View) -> None:
        """Records a problem if the first position has changed, and ends the games."""
        if self.first is None:
            self.first = view
            return
        try:
            self.contract.compare(self.first, view, f"earlier games {CHANGED.replace('it was', 'they were')}")
        except GameEnds:
            self.is_damaged = True
            raise

    def look_back(self) -> None:
        """After an aborted game, checks whether another one can start."""
        contract = self.contract
        if self.first is None or self.native:
            return
        path, contract.path = contract.path, []
        known = dict(contract.seen)
        try:
            contract.compare(self.first, contract.look(self.start), "")
        except GameEnds:
            self.is_damaged = True
        contract.seen, contract.path = known, path
        explained = DRAINED in contract.seen or UNEQUAL in contract.seen or any(
            CHANGED in each.text or REORDERED in each.text for each in contract.seen.values())
        if self.is_damaged and not explained:
            contract.path = []
            contract.tell("play()", "damage", f"{CHANGED}: the first position, or one that shares data with it")

    # ---- one position, closely ---------------------------------------------------------------------------------------

    def look_closely(self, state: Any, view: View) -> None:
        """Does everything twice: asks the position, and plays each move."""
        contract = self.contract
        again = "the same position gave different answers when it was asked twice"
        contract.compare(view, contract.look(state), again, "position")
        self.keep(state, view)
        moves = view.moves
        if len(moves) > MOST_CHILDREN:
            moves = self.choice.sample(moves, MOST_CHILDREN)
        contract.named_apart(state, moves)
        comparable = getattr(type(state), "__eq__", None) is not object.__eq__
        children = []
        for move in moves:
            one = contract.child(state, move, view)
            contract.compare(view, contract.look(state), f"play({shorten(move)}) {CHANGED}")
            two = contract.child(state, move, view)
            contract.path.append(move)
            try:
                after = contract.look(one)
                self.keep(one, after)
                twice = (f"playing {shorten(move)} twice led to different positions (chance needs a general game with "
                         f"CHANCE to move and chance_outcomes())")
                contract.compare(after, contract.look(two), twice)
                if contract.rewarded:
                    children.append((move, one, contract.rewards_of(one)))
                    if contract.rewards_of(two) != children[-1][2]:
                        contract.tell("rewards()", "changed", f"playing {shorten(move)} twice gave different rewards")
                comparable = comparable and self.compare_positions(one, two)
                if comparable and after != view and equal(one, state) is True:
                    contract.tell("__eq__()", "different", "the positions before and after a move must not be equal")
            finally:
                contract.path.pop()
        contract.compare(view, contract.look(state), f"play() {CHANGED}")
        for move, child, rewards in children:
            contract.path.append(move)
            try:
                if contract.rewards_of(child) != rewards:
                    contract.tell("rewards()", "shared", "changed when other moves were played")
            finally:
                contract.path.pop()
        if self.hidden and view.chances is None:
            self.check_draws(state, view)
        if self.optional is not None and view.chances is None:
            self.optional.check(state, view)
        if self.is_tabled:
            from mcts_core.checks.check_table import ENDLESS, table_problems

            problems = table_problems(self.start, state, list(contract.path), view.moves)
            for found in contract.call("position", list, problems):
                contract.tell(*found)
                self.is_tabled = self.is_tabled and found.key != ENDLESS

    def check_draws(self, state: Any, view: View) -> None:
        """Checks the draws from a position until the time is over."""
        before = set_end(self.end)
        try:
            self.draws.check(state, view)
        except OutOfTime:
            self.is_late = True
        finally:
            set_end(before)

    def compare_positions(self, one: Any, two: Any) -> bool:
        """Checks two positions after the same moves; returns whether they can be compared."""
        same = equal(one, two)
        try:
            if same is True and type(one).__hash__ is not None and hash(one) != hash(two):
                self.contract.tell("__hash__()", "equal", "equal positions must have equal hashes")
        except Exception as error:
            same = error
        if isinstance(same, Exception):  # the search works without comparisons
            self.incomparable = told(same)
            return False
        if not same:
            self.contract.tell("__eq__()", "equal", "positions after the same moves must be equal")
        return True

    def keep(self, state: Any, view: View) -> None:
        if len(self.kept) < KEPT:
            self.kept.append((state, view, list(self.contract.path)))

    # ---- after the games ---------------------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Compares the answers of positions of the games with those that they gave then."""
        contract = self.contract
        if contract.seen:  # which may explain other answers
            return
        with suppress(GameEnds):
            for state, view, contract.path in self.kept:
                contract.compare(view, contract.look(state), "an earlier position gives other answers after later "
                                 "moves, as if positions shared a list or a dict that play() changes")

    def finish(self, seed: int) -> None:
        """Compares the rollouts of a native game with its random games, then runs short searches."""
        contract = self.contract
        self.look_again()
        parts = {each.part for each in contract.seen.values()}
        if self.native and not contract.general and not parts & {*CAUSES, "rollout", "simulate"}:
            from mcts_core.checks.check_table import rollout_problems

            try:
                for found, path in rollout_problems(self.start, self.samples, self.choice):
                    contract.path = path
                    contract.tell(*found)
            except (GameError, ValueError) as error:  # such as an IllegalMove that no game ran into
                contract.tell("rollout", "failed", f"failed: {error}")
        contract.path = []
        if contract.general and self.first is not None and self.first.to_move == CHANCE:
            return  # there is nothing to choose
        for preset in (None,) if contract.general else ("uct", None):
            try:
                Searcher(preset=preset, seed=seed).search(self.start, max(SEARCH, self.end - clock()),
                                                          iterations=ITERATIONS)
            except Exception as error:
                text = f"a search (preset={preset!r}) raised {type(error).__name__}: {error}{cause_of(error)}"
                contract.tell("search", type(error).__name__, text)
