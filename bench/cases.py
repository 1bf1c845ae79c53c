"""What is measured, and the ratios to reach."""

from dataclasses import dataclass, field

GAMES = {
    "connect4": "Connect Four",
    "gravity8x9x5": "8x9, 5 in a row, gravity",
    "gomoku15": "gomoku 15x15",
    "gomoku15-exact": "gomoku 15x15 exact",
    "gomoku20": "gomoku 20x20",
    "gomoku20-exact": "gomoku 20x20 exact",
    "mnk8x8x5": "8x8, 5 in a row",
    "tictactoe": "tic-tac-toe",
}

LEVELS = ("quick", "default", "full")


@dataclass(frozen=True)
class Case:
    """One workload from the first position of a game, for every program that can do it."""

    game: str
    work: str
    """``rollouts`` or ``iterations``."""
    count: int
    reference: str | None = None
    """Key of ``reference.PROGRAMS``."""
    targets: dict = field(default_factory=dict)
    """Instruction set -> ratio of the speed to the reference's."""
    peers: dict = field(default_factory=dict)
    """Key of ``peers.PEERS`` -> ratio of our speed to its, None where there is no goal."""
    bytes_target: float | None = None
    """Most bytes per iteration."""
    times: int = 1
    """Measurements in each round; more for short ones. Peers are measured once."""
    rounds: int | None = None
    """Most rounds, for long ones."""
    level: str = "quick"
    """The least of LEVELS that includes it."""

    @property
    def name(self):
        power = len(str(self.count)) - 1
        size = f"{self.count // 10**power}e{power}"
        return f"{self.game}-{self.work}" if self.work == "rollouts" else f"{self.game}-{self.work}-{size}"

    @property
    def title(self):
        return f"{GAMES[self.game]} {self.work}" + (f" {self.count:,}" if self.work == "iterations" else "")


def _ratios(baseline, avx2):
    return {"baseline": baseline, "avx2": avx2}


PYTHON_PEERS = ("mcts", "multimcts", "fastmcts", "mctspy", "python_rules")

CASES = (
    Case("connect4", "rollouts", 1_000_000, "c4", _ratios(2.6, 3.9)),
    Case("connect4", "iterations", 1_000, "c4", times=5, level="default"),
    Case("connect4", "iterations", 10_000, "c4", times=5, level="default"),
    Case("connect4", "iterations", 100_000, "c4", _ratios(3.2, 4.3), times=3,
         peers={"openspiel": None} | dict.fromkeys(PYTHON_PEERS)),
    Case("connect4", "iterations", 1_000_000, "c4", _ratios(3.6, 4.7), peers={"openspiel": 20}, bytes_target=7),
    Case("connect4", "iterations", 10_000_000, "c4", _ratios(3.0, 4.5), level="default", rounds=3),
    Case("gravity8x9x5", "rollouts", 200_000, level="default"),
    Case("gravity8x9x5", "iterations", 100_000, level="default"),
    Case("gomoku15", "rollouts", 100_000, "gomoku15", _ratios(12.0, 16.0)),
    Case("gomoku15", "iterations", 1_000, "gomoku15", times=5, level="default"),
    Case("gomoku15", "iterations", 10_000, "gomoku15", times=5, level="default"),
    Case("gomoku15", "iterations", 100_000, "gomoku15", _ratios(6.5, 8.0), peers={"openspiel": 100}),
    Case("gomoku15", "iterations", 500_000, "gomoku15", _ratios(6.5, 8.0)),
    Case("gomoku15", "iterations", 1_000_000, "gomoku15", bytes_target=6, level="default", rounds=3),
    Case("tictactoe", "rollouts", 1_000_000, "tictactoe", _ratios(4.0, 5.0)),
    Case("mnk8x8x5", "rollouts", 300_000, "mnk8x8x5", _ratios(4.5, 6.0)),
    Case("gomoku15-exact", "rollouts", 100_000, "gomoku15", level="default"),
    Case("gomoku15-exact", "iterations", 100_000, "gomoku15", level="default"),
    Case("gomoku20", "rollouts", 50_000, "gomoku20", level="default"),
    Case("gomoku20", "iterations", 100_000, "gomoku20", level="default"),
    Case("gomoku20-exact", "rollouts", 50_000, "gomoku20", level="default"),
    Case("gomoku20-exact", "iterations", 100_000, "gomoku20", level="default"),
)

COMPARED = ("connect4-iterations-1e5", "gomoku15-iterations-1e5")
"""The cases of the chart."""

GROWTH = {"connect4": {10_000_000: 0.7}, "gomoku15": {}}
"""The games of the growth table -> iterations -> the rate by that at 100,000, to reach."""

CALLS = {
    "search(state, iterations=1, preset='uct')": 20e-6,
    "search(state, iterations=1)": 20e-6,
    "state.play(move)": 0.5e-6,
    "state.legal_moves()": 0.5e-6,
    "import mcts_core": 30e-3,
}
"""Cost of one call in seconds, to stay below; on Connect Four."""


def choose(level, only=()):
    """The cases of a level, those whose name contains one of ``only`` when it is given (then of any level)."""
    if only:
        return [case for case in CASES if any(part in case.name for part in only)]
    return [case for case in CASES if LEVELS.index(case.level) <= LEVELS.index(level)]
