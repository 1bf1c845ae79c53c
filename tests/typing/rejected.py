"""Wrong uses: mypy and pyright must find an error in each line that ends so. Nobody runs this file.

Both are told to refuse a comment that suppresses nothing, so a line that they would accept is an error.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

import mcts_core as mc

four = mc.ConnectFour()
engine = mc.Searcher()

# ---- positions -------------------------------------------------------------------------------------------------------

mc.ConnectFour(rows="6")  # type: ignore[arg-type]
mc.ConnectFour(6.5)  # type: ignore[arg-type]
mc.ConnectFour(size=7)  # type: ignore[call-arg]
mc.ConnectFour.from_moves(4455)  # type: ignore[arg-type]
mc.ConnectFour.from_moves("4455", 1)  # type: ignore[call-arg]
mc.ConnectFour.from_moves(["4", 0.5])  # type: ignore[list-item]
mc.ConnectFour.from_string(b"...")  # type: ignore[arg-type]
mc.Gomoku(m=15)  # type: ignore[call-arg]
mc.Gomoku.from_moves([112], m=15)  # type: ignore[call-arg]
mc.MNK(3, 3, 3, rule=True)  # type: ignore[arg-type]
mc.TicTacToe(3)  # type: ignore[call-arg]
four.play(b"3")  # type: ignore[arg-type]
four[3]  # type: ignore[index]
four["d1"]  # type: ignore[index]
four.name(None)  # type: ignore[arg-type]
four.diagram = ""  # type: ignore[method-assign, assignment]
four.play()  # type: ignore[call-arg]
four.to_move = 1  # type: ignore[misc]
four.rows = 7  # type: ignore[misc]
four.undo()  # type: ignore[attr-defined]
four < four.play(0)  # type: ignore[operator]
words: list[str] = four.legal_moves()  # type: ignore[assignment]
number: int = four.winner()  # type: ignore[assignment]


class Wider(mc.ConnectFour):  # type: ignore[misc]
    """Positions of Connect Four have no subclasses."""


# ---- searches --------------------------------------------------------------------------------------------------------

mc.search()  # type: ignore[call-arg]
mc.search(four, "1")  # type: ignore[arg-type]
mc.search(four, iterations=1e6)  # type: ignore[arg-type]
mc.search(four, 1.0, 1000)  # type: ignore[call-arg]
mc.serach(four)  # type: ignore[attr-defined]
mc.Searcher(1000)  # type: ignore[arg-type, call-arg]
mc.Searcher(exploration="0.7")  # type: ignore[arg-type]
mc.Searcher(explore=0.7)  # type: ignore[call-arg]
mc.Searcher(selection="ucb2")  # type: ignore[arg-type]
mc.Searcher(policy_value=len)  # type: ignore[arg-type]
mc.search(four, iteration=10)  # type: ignore[call-arg]
mc.search(four, time=1)  # type: ignore[call-arg]
mc.search(four, exploraton=1)  # type: ignore[call-arg]
mc.search(four, exploration="1")  # type: ignore[arg-type]
mc.search(four, preset="weak")  # type: ignore[arg-type]
mc.search(four, progress=1)  # type: ignore[arg-type]
mc.Searcher(threads="all")  # type: ignore[arg-type]
mc.Searcher(evaluator=3)  # type: ignore[arg-type]
engine.search(four, iterations="many")  # type: ignore[arg-type]
engine.search(four, progress="bar")  # type: ignore[arg-type]
engine.options()  # type: ignore[call-arg]
engine.visits = 3  # type: ignore[attr-defined]
mc.search_many(four, iterations=100)  # type: ignore[arg-type]
mc.search_many([four], "1.0")  # type: ignore[arg-type]
mc.search_many([four], rollout="heavy")  # type: ignore[arg-type]
mc.search_many([four], simulations=10)  # type: ignore[call-arg]
mc.search_many([four], errors="ignore")  # type: ignore[arg-type]
mc.search_parallel(four, reuse=True)  # type: ignore[call-arg]
mc.search_parallel(four, workers="all")  # type: ignore[arg-type]
mc.search_parallel(four, solver=1)  # type: ignore[arg-type]
mc.rollouts(four)  # type: ignore[call-arg]
mc.rollouts(four, "100")  # type: ignore[arg-type]
engine.stop().value  # type: ignore[union-attr]

# ---- what was found --------------------------------------------------------------------------------------------------

found = mc.stats()
found.value = 1.0  # type: ignore[misc]
found.moves[0].visits += 1  # type: ignore[misc]
found.best  # type: ignore[attr-defined]
found.moves.append(found.moves[0])  # type: ignore[attr-defined]
text: str = found.visits  # type: ignore[assignment]
mc.Stats()  # type: ignore[call-arg]
mc.Clock("60")  # type: ignore[arg-type]
mc.render.svg(four, stats=engine)  # type: ignore[arg-type]
mc.render.picture(four)  # type: ignore[attr-defined]

# ---- games of one's own ----------------------------------------------------------------------------------------------

mc.check_game()  # type: ignore[call-arg]
mc.native_game()  # type: ignore[call-overload]
mc.selfplay(four, games="2", iterations=10)  # type: ignore[call-overload]
mc.selfplay(four, games=2, iterations=10, batch="8")  # type: ignore[call-overload]
mc.selfplay(four, games=2, iterations=10, nosie_alpha=1)  # type: ignore[call-overload]
mc.SelfPlayData.load(3)  # type: ignore[arg-type]
