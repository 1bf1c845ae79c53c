"""The public names in use, with the types that checkers must see: read by mypy and pyright, and run by a test."""

import asyncio
import copy
from collections.abc import Iterator
from typing import Any, assert_type

import mcts_core as mc

# ---- positions -------------------------------------------------------------------------------------------------------

four = mc.ConnectFour(rows=6, cols=7, connect=4)
assert_type(mc.ConnectFour.from_moves("4455", base=1), mc.ConnectFour)
assert_type(mc.ConnectFour.from_moves([3, 3], rows=5), mc.ConnectFour)
assert_type(mc.ConnectFour.from_string(str(four)), mc.ConnectFour)
assert_type(four.play(3), mc.ConnectFour)
assert_type(four.play("4"), mc.ConnectFour)
assert_type((four.move("4"), four.name(3), four.diagram()), tuple[int, str, str])
assert_type(four.to_move, int)
assert_type(four.legal_moves(), list[int])
assert_type(four.winner(), int | None)
assert_type(four.moves, tuple[int, ...])
assert_type(four.last_move, int | None)
assert_type(four[5, 3], int)
assert_type((four.rows, four.cols, four.connect), tuple[int, int, int])
assert_type(copy.deepcopy(four), mc.ConnectFour)
assert_type(four == four.play(0), bool)
assert_type(hash(four), int)
assert_type({four: "empty"}, dict[mc.ConnectFour, str])

gomoku = mc.Gomoku(size=15, rule="exact")
assert_type(mc.Gomoku.from_moves([112, 97], size=15, rule="exact"), mc.Gomoku)
assert_type(gomoku.play(112), mc.Gomoku)
assert_type(mc.Gomoku.from_moves(["h8", 97]).play("i7"), mc.Gomoku)
assert_type(gomoku.size, int)
assert_type(mc.MNK(m=4, n=3, k=3).play(0), mc.MNK)
assert_type(mc.MNK.from_string("X . .\n. . .\n. . ."), mc.MNK)
assert_type(mc.TicTacToe.from_moves("04", base=0), mc.TicTacToe)
assert_type(mc.TicTacToe().rule, str)
boards: list[mc.MNK] = [gomoku, mc.TicTacToe()]


class Nim:
    """A game of the user's own."""

    def __init__(self, stones: int = 5, to_move: int = 1) -> None:
        self.stones, self.to_move = stones, to_move

    def legal_moves(self) -> list[int]:
        return list(range(1, min(self.stones, 3) + 1))

    def play(self, move: int) -> "Nim":
        return Nim(self.stones - move, -self.to_move)

    def winner(self) -> int | None:
        return None if self.stones else -self.to_move


# ---- searches --------------------------------------------------------------------------------------------------------

move: int = mc.search(four, 0.001, iterations=50, exploration=0.5, selection="rave", solver=False)
taken: int = mc.search(Nim(), iterations=50)
found = mc.stats()
assert_type(found, mc.Stats)

engine = mc.Searcher(
    preset="strong", selection="ucb1", exploration=0.7, fpu=None, solver=True, final_move="robust", threads=1,
    memory_mb=64, reuse=True, seed=1, valuation="rollout", network=None, least_prior=None,
)
best: int = engine.search(four, seconds=1, iterations=200)
engine.search(four, iterations=50, progress=lambda stats: assert_type(stats, mc.Stats), every=1)
assert_type(engine.options(four), dict[str, Any])
assert_type(engine.most_iterations(four), int)
assert_type(engine.stats(), mc.Stats)
assert_type(engine.tree(max_depth=2), mc.Node)
assert_type(engine.stop(), mc.Stats | None)
with engine.pondering(four) as pondering:
    assert_type(pondering, mc.Searcher)
for stats in assert_type(engine.watch(four, iterations=50), Iterator[mc.Stats]):
    assert_type(stats, mc.Stats)
asyncio.run(engine.search_async(four, iterations=50))
asyncio.run(engine.search_async(four, iterations=50, progress=lambda stats: assert_type(stats, mc.Stats), every=1))
assert_type(copy.copy(engine), mc.Searcher)


def store(path: str) -> mc.Searcher:
    """Not run: it writes a file."""
    engine.save(path)
    return assert_type(mc.Searcher.load(path, memory_mb=64), mc.Searcher)


class Own(mc.Searcher):
    """A subclass, which load keeps."""


def load_own(path: str) -> Own:
    """Not run."""
    return assert_type(Own.load(path), Own)


results = mc.search_many([four, four.play(3)], iterations=50, threads=2, seed=1, errors="return")
assert_type(results, list[mc.Result])
assert_type(results[0].stats, mc.Stats | None)
assert_type(results[0].error, Exception | None)

together = mc.search_parallel(four, iterations=100, executor="threads", workers=1)
assert_type(together, mc.ParallelResult)
assert_type(together.workers, tuple[mc.WorkerReport, ...])
assert_type(together.errors, tuple[str, ...])

drawn = mc.rollouts(four, 100, seed=1)
solution = mc.solve(mc.TicTacToe(), 10, book=False)
assert_type(solution, mc.Solution)
assert_type(solution.moves, tuple[mc.SolvedMove, ...])
assert_type((solution.proven, solution.distance, solution.exact), tuple[str | None, int | None, bool])
assert_type(drawn, mc.Rollouts)
assert_type((drawn.wins, drawn.mean_length), tuple[int, float])

report = mc.check_game(Nim, games=20, seed=1)
assert_type(report, mc.CheckReport)
assert_type(report.problems, tuple[mc.Problem, ...])
assert_type(report.ok, bool)


def compiled() -> mc.NativePosition:
    """Not run: it needs Numba, and seconds."""
    game = assert_type(mc.compile(Nim, check=True, cache=False, seed=1), mc.NativeGame)
    return game.state()


def drawn_in_time() -> None:
    """What a ``determinize`` that takes long may do; not run."""
    assert_type(mc.seconds_left(), float)
    raise mc.OutOfTime("no draw was found")


def native(legal_moves: int, play: int) -> mc.NativePosition:
    """Not run: it takes the addresses of native functions."""
    game = assert_type(
        mc.native_game(legal_moves=legal_moves, play=play, state_size=8, max_moves=9), mc.NativeGame)
    assert_type(game.from_moves([1, 2]).play(3), mc.NativePosition)
    assert_type(game.state().play(0).data, bytes)
    return assert_type(game.state(b"\0" * 8), mc.NativePosition)


def self_play(folder: str) -> None:
    """Not run: it needs numpy, and writes files."""
    for data in mc.selfplay(four, games=2, iterations=10):
        assert_type(data, mc.SelfPlayData)
    mc.selfplay(four, games=2, iterations=10, folder=folder, progress=tell)
    assert_type(mc.SelfPlayData.join(mc.selfplay(four, games=2, iterations=10)), mc.SelfPlayData)


def tell(done: mc.SelfPlayProgress) -> None:
    """Not run."""
    assert_type((done.games, done.seconds), tuple[int, float])


def every_function_has_the_options() -> None:
    """Not run: it is about types."""
    mc.search(four, 0.5, progress=True)
    mc.Searcher(progress=True).search(four, 1, progress=False)
    mc.search_many([four], iterations=10, progress=True)
    mc.search_parallel(four, 1.0, progress=True)
    mc.check_game(four, 10, progress=lambda found: assert_type(found, mc.CheckProgress), every=1)
    mc.check_game(four, 10, progress=True)
    mc.search(four, 0.5, progress=watch, every=0.5, exploration=1, preset="uct", memory_mb=64, threads=2, reuse=True)
    mc.Searcher(progress=watch, every=1, noise_alpha=None, policy_value=priors).search(four, 1, progress=None, every=1)
    mc.search_many([four], iterations=10, solver=False, memory_mb=1, valuation=0.5, progress=many, every=1, reuse=True)
    mc.search_parallel(four, 1.0, threads=2, selection="puct", c_puct=1.0, progress=watch, every=1)
    mc.selfplay(four, games=1, iterations=10, noise_alpha=0.3, evaluator=priors, batch=4, prune=False)


def watch(stats: mc.Stats) -> None:
    """Not run."""


def many(done: mc.SearchManyProgress) -> None:
    """Not run."""
    assert_type((done.done, done.failed, done.total, done.seconds), tuple[int, int, int, float])


def priors(state: object) -> tuple[list[float], float]:
    """Not run."""
    return [0.5, 0.5], 0.0


# ---- what was found --------------------------------------------------------------------------------------------------

assert_type((found.value, found.visits, found.stop_reason), tuple[float, int, str])
assert_type(found.moves, tuple[mc.MoveStats, ...])
assert_type(found.moves[0].proven, str | None)
assert_type(found.moves[0].distance, int | None)
assert_type(found.values, tuple[float, ...] | None)
assert_type(found.to_dict(), dict[str, Any])
assert_type(engine.tree().children, tuple[mc.Node, ...])
assert_type(engine.stats().to_dot(max_depth=1), str)

# ---- the rest --------------------------------------------------------------------------------------------------------

clock = mc.Clock(60, increment=1, moves_to_go=10)
with clock as running:
    assert_type(running.seconds(), float)
assert_type(clock.seconds(mc.Gomoku()), float)
assert_type(clock.remaining, float)
assert_type(mc.CHANCE, str)
assert_type(mc.__version__, str)
assert_type(mc.get_include(), str)
assert_type(mc.render.text(four, stats=None, base=1), str)
assert_type(mc.render.svg(four, line=[3, 3], arrows=[(0, 1)]), str)
assert_type(mc.render.html(engine.stats(), theme="dark"), str)
assert_type(mc.render.dot(engine.tree()), str)

errors: list[type[ValueError]] = [mc.IllegalMove, mc.GameOver, mc.InvalidState, mc.InvalidOption, mc.InvalidFile,
                                 mc.InvalidCell]
failures: list[type[RuntimeError]] = [mc.SearchBusy, mc.NoSearch, mc.GameError, mc.EvaluatorError, mc.WorkersLost]
