"""Is what a search tells of itself true, as far as that can be seen from outside?"""

from collections import Counter
from dataclasses import dataclass
from math import isclose

VALUES = {"win": 1.0, "draw": 0.5, "loss": 0.0}
REASONS = {"time", "iterations", "solved", "memory", "cancelled", "only_move", "decided", "running"}


@dataclass
class Asked:
    """What a search was asked for."""

    seconds: float | None = None
    iterations: int | None = None
    memory: int | None = None
    """Bytes of ``memory_mb``."""
    rollouts_per_leaf: int = 1
    threads: int = 1
    seed: int | None = None
    cancelled: bool = False
    """Somebody may have stopped it."""
    reusable: bool = False
    """The tree of the search before may be used again."""


def faults(state, stats, asked, move=None):
    """What is wrong with the Stats of a search of ``state`` that returned ``move``, as texts; none if all is well."""
    found = []

    def expect(holds, text):
        if not holds:
            found.append(text)

    legal = state.legal_moves()
    expect(move is None or stats.move == move, f"returned {move!r}, but Stats.move is {stats.move!r}")
    expect(stats.move in legal, f"Stats.move {stats.move!r} is not legal")
    expect(Counter(entry.move for entry in stats.moves) == Counter(legal),
           f"Stats.moves are those of {[entry.move for entry in stats.moves]}, legal are {legal}")
    visits = [entry.visits for entry in stats.moves]
    expect(visits == sorted(visits, reverse=True), f"moves are not ordered by visits: {visits}")
    for entry in stats.moves:
        found += faults_of_move(entry)
    found += faults_of_choice(stats)
    found += faults_of_line(state, stats)
    found += faults_of_counts(stats, asked)
    found += faults_of_end(stats, asked, len(legal))
    return found


def faults_of_move(entry):
    """What is wrong with the statistics of a move."""
    found = []
    mean = entry.wins / entry.visits if entry.visits > 0 else 0.5
    if entry.visits < 0 or not -1e-6 <= entry.wins <= entry.visits + 1e-6:
        found.append(f"move {entry.move!r} has {entry.wins} wins in {entry.visits} visits")
    elif not isclose(entry.value, mean, abs_tol=1e-9):
        found.append(f"move {entry.move!r} has the value {entry.value}, its wins and visits say {mean}")
    if (entry.proven is None) != (entry.distance is None) or entry.proven not in (None, *VALUES):
        found.append(f"move {entry.move!r} is proven {entry.proven!r} with distance {entry.distance!r}")
    elif entry.distance is not None and entry.distance < 1:
        found.append(f"move {entry.move!r} ends the game in {entry.distance} plies")
    return found


def faults_of_choice(stats):
    """What is wrong with the value of the position and the move chosen."""
    found = []
    chosen = next((entry for entry in stats.moves if entry.move == stats.move), None)
    if not 0.0 <= stats.value <= 1.0:
        found.append(f"the value is {stats.value}")
    if (stats.proven is None) != (stats.distance is None) or stats.proven not in (None, *VALUES):
        found.append(f"the position is proven {stats.proven!r} with distance {stats.distance!r}")
    elif stats.proven is not None and stats.value != VALUES[stats.proven]:
        found.append(f"the position is a proven {stats.proven}, its value is {stats.value}")
    if chosen is not None and chosen.proven is not None:
        if stats.proven is not None and VALUES[chosen.proven] < VALUES[stats.proven]:
            found.append(f"a proven {stats.proven}, but the move chosen is a proven {chosen.proven}")
        if stats.proven is None and chosen.proven == "loss" and any(entry.proven != "loss" for entry in stats.moves):
            found.append("a proven loss was chosen although another move lives")
    return found


def faults_of_line(state, stats):
    """What is wrong with the principal variation."""
    if not stats.pv or stats.pv[0] != stats.move:
        return [f"the principal variation {stats.pv!r} does not begin with the move {stats.move!r}"]
    for number, move in enumerate(stats.pv):
        if state.winner() is not None or move not in state.legal_moves():
            return [f"move {number} of the principal variation {stats.pv!r} is not legal"]
        state = state.play(move)
    return []


def faults_of_counts(stats, asked):
    """What is wrong with the numbers of the tree."""
    found = []
    total = sum(entry.visits for entry in stats.moves)
    reused = stats.reused_visits
    if reused and not asked.reusable:
        found.append(f"{reused} visits were reused where there is nothing to reuse")
    # on its way, the first of several threads knows of the others' iterations before it has their statistics
    early = stats.stop_reason == "running" and asked.threads > 1
    if stats.visits > stats.iterations + reused or (stats.visits < stats.iterations + reused and not early):
        found.append(f"{stats.visits} visits, but {stats.iterations} iterations and {reused} reused visits")
    # What a node saw before it had children is in none of them; an iteration that comes to a proven draw goes on into
    # another move, and counts for both.
    most = 2 * stats.visits if any(entry.proven == "draw" for entry in stats.moves) else stats.visits
    least = stats.visits - reused
    if not least <= total <= most:
        found.append(f"the moves have {total} visits, expected {least} to {most}")
    if stats.rollouts > stats.iterations * asked.rollouts_per_leaf:
        found.append(f"{stats.rollouts} rollouts in {stats.iterations} iterations of {asked.rollouts_per_leaf}")
    if stats.nodes < 1 or stats.iterations < (0 if reused else 1):
        found.append(f"{stats.nodes} nodes after {stats.iterations} iterations")
    if not 0.0 <= stats.depth_mean <= stats.depth_max:
        found.append(f"mean depth {stats.depth_mean}, greatest depth {stats.depth_max}")
    if stats.bytes <= 0 or (asked.memory is not None and stats.bytes > asked.memory):
        found.append(f"{stats.bytes} bytes of at most {asked.memory}")
    if stats.threads not in (1, asked.threads):
        found.append(f"{stats.threads} threads, asked for {asked.threads}")
    if asked.seed is not None and stats.seed != asked.seed:
        found.append(f"seed {stats.seed}, asked for {asked.seed}")
    return found


def faults_of_end(stats, asked, legal):
    """What is wrong with the reason why the search ended, or with its times."""
    found = []
    reason = stats.stop_reason
    # a search also ends where too little time is left to make room in a full memory: with threads, that of one tree,
    # beside which others may be half empty, and what each knows of the others
    full = asked.memory is not None and (1 + stats.threads) * stats.bytes > asked.memory
    expected = {
        "time": asked.seconds is not None and (stats.seconds >= asked.seconds or full),
        "iterations": asked.iterations is not None,
        "solved": stats.proven is not None,
        "cancelled": asked.cancelled,
        "only_move": legal == 1,
    }
    if reason not in REASONS or not expected.get(reason, True):
        found.append(f"stopped by {reason!r} after {stats.iterations} iterations in {stats.seconds} s, {legal} legal "
                     f"moves, proven {stats.proven!r}; asked for {asked}")
    if asked.iterations is not None and stats.iterations > asked.iterations:
        found.append(f"{stats.iterations} iterations, asked for {asked.iterations}")
    if reason == "iterations" and stats.threads == 1 and stats.iterations != asked.iterations:
        found.append(f"stopped by iterations after {stats.iterations} of {asked.iterations}")
    late = 0.0 if asked.seconds is None else max(0.0, stats.seconds - asked.seconds)
    if reason != "running" and not isclose(stats.overshoot, late, abs_tol=1e-9):
        found.append(f"an overshoot of {stats.overshoot} s, expected {late}")
    if not stats.seconds > 0.0:
        found.append(f"a search of {stats.seconds} s")
    return found


def differences(one, other):
    """What differs between the Stats of two searches that should have found the same, as texts."""
    names = ("move", "value", "visits", "moves", "iterations", "rollouts", "nodes", "depth_max", "proven", "distance",
             "seed")
    return [f"{name} {getattr(one, name)!r} and {getattr(other, name)!r}" for name in names
            if getattr(one, name) != getattr(other, name)]


def held_faults(held, stats, memory, page=65536):
    """What is wrong with the memory that a Searcher keeps: the tree is in it, and it stays within the budget.

    Memory is made usable by pages of 64 KiB.
    """
    if stats is not None and held < stats.bytes:
        return [f"the Searcher keeps {held} bytes, its tree takes {stats.bytes}"]
    if held > memory + page:
        return [f"the Searcher keeps {held} bytes of at most {memory}"]
    return []
