"""The network that the first games are played with: fitted to hand-made priors, and without an opinion on the value.

The priors know what any beginner knows: complete a five, else keep the other side from one, else make or prevent a
straight four, and so on. Games from a network of random weights would have to find this first.
"""

import numpy as np
import torch
from network import NOWHERE, Batch, LineNetwork, padded
from patterns import OTHER, OWN, PATTERNS, REACH, half_lines, halves_of_patterns, patterns
from torch.nn import functional

OWN_SCORES = 18.0, 5.0, 2.5, 2.0, 0.7, 0.4, 0.15, 0.0
"""What a stone is worth that makes five; a straight four (two cells complete it); another four; a three that can
become a straight four; another three; a two with room on several sides; another two; nothing: for the side to move."""
OTHER_SCORES = 12.0, 4.0, 2.0, 1.6, 0.5, 0.3, 0.1, 0.0
"""The same where it prevents the other side from this."""
FIVE = 0
MOST_PART = 6.0
"""Scores above this count as this where making and preventing are learnt apart."""
WINDOWS = [slice(begin, begin + 5) for begin in range(1, 6)]
"""The fives through the middle of the eleven cells of a line."""


def lines():
    """The cells of all patterns, int8[66430, 11], the cell itself (empty) in the middle; -1: outside of the board."""
    halves = half_lines()
    low, high = halves_of_patterns().T
    middle = np.zeros((PATTERNS, 1), np.int8)
    return np.concatenate([halves[low][:, ::-1], middle, halves[high]], 1)


def classes(player):
    """What a stone of ``player`` in the middle of each pattern makes, as a place in OWN_SCORES."""
    cells = lines()
    cells[:, REACH] = player
    counts, room = most(cells, player)
    completions = finishes(cells, player)
    straight = np.zeros(len(cells), bool)
    for at in range(2 * REACH + 1):
        also = cells.copy()
        also[:, at] = player
        straight |= (cells[:, at] == 0) & (counts == 3) & (finishes(also, player) >= 2)
    return np.select([counts >= 5, completions >= 2, counts == 4, straight, counts == 3, (counts == 2) & (room >= 3),
                      counts == 2], range(7), 7)


def most(cells, player):
    """The most stones of ``player`` in a window that is free of others, and the number of such windows."""
    counts = np.zeros(len(cells), int)
    room = np.zeros(len(cells), int)
    for window in WINDOWS:
        part = cells[:, window]
        free = ((part == 0) | (part == player)).all(1)
        counts = np.maximum(counts, np.where(free, (part == player).sum(1), 0))
        room += free
    return counts, room


def finishes(cells, player):
    """The number of empty cells that would complete a five."""
    found = np.zeros(cells.shape, bool)
    for window in WINDOWS:
        part = cells[:, window]
        four = ((part == player).sum(1) == 4) & ((part == 0).sum(1) == 1)
        found[:, window] |= four[:, None] & (part == 0)
    return found.sum(1)


def scores():
    """The hand-made scores of each pattern for making and for preventing, float32[66430, 2].

    The score of a move is the sum of both of its four patterns.
    """
    both = np.take(OWN_SCORES, classes(OWN)), np.take(OTHER_SCORES, classes(OTHER))
    return np.stack(both, 1).astype(np.float32)


def random_games(score, games, plies, rng, sizes=range(9, 21)):
    """Positions of games in which moves are drawn by their scores, some games wilder than others; yields boards of one
    size after each ply, int8[games, size, size], from the view of the side to move."""
    five = classes(OWN) == FIVE
    while True:
        size = int(rng.choice(sizes))
        boards = np.zeros((games, size, size), np.int8)
        restart(boards, np.arange(games), rng)
        heat = rng.uniform(1, 5, games)
        for _ in range(plies):
            offsets, cells, indices = patterns(boards)
            yield boards, offsets, indices
            board = np.repeat(np.arange(games), np.diff(offsets))
            wish = score[indices].sum((1, 2)) / heat[board] + rng.gumbel(size=len(cells))
            best = np.lexsort((wish, board))[offsets[1:] - 1]
            boards = boards.copy()
            boards.reshape(games, -1)[np.arange(games), cells[best]] = OWN
            restart(boards, np.flatnonzero(five[indices[best]].any(1) | (np.diff(offsets) < 5)), rng)
            boards = np.where(boards == 0, 0, 3 - boards).astype(np.int8)


def restart(boards, which, rng):
    """Empties the boards ``which`` but for one stone, not far from the middle."""
    size = boards.shape[1]
    boards[which] = 0
    row, col = rng.integers(size // 4, size - size // 4, (2, len(which)))
    boards[which, row, col] = OTHER


def fit(steps=900, games=192, seed=1, rate=1e-2):
    """A network that has the hand-made priors. 900 steps take less than a minute."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    score = scores()
    model = LineNetwork()
    parts = torch.nn.Linear(len(model.policy), 2)
    weights = [weights for name, weights in model.named_parameters() if name != "policy"]
    optimizer = torch.optim.Adam([{"params": [*weights, *parts.parameters()]}, {"params": [model.policy]}])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [rate, 5 * rate], total_steps=steps, pct_start=0.1)
    for _, (_, offsets, indices) in zip(range(steps), random_games(score, games, 60, rng), strict=False):
        batch = Batch(offsets, indices)
        wanted = torch.from_numpy(score[indices].sum(1))
        features = model.features(batch)
        loss = distance(model.logits(features), wanted.sum(1), batch)
        # a value needs to know whose threats these are, which the policy alone does not teach the features
        loss = loss + functional.mse_loss(parts(features), wanted.clamp(max=MOST_PART))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.clamp()
        schedule.step()
    even_out(model, random_games(score, games, 60, rng))
    return model


def even_out(model, positions, batches=40):
    """Begins the value's first layer with numbers that are independent and as large as each other.

    Sums over all cells go up and down together, with the number of cells; from plain random weights the value learnt
    nothing in the first hundreds of steps.
    """
    seen = []
    with torch.no_grad():
        for _, (_, offsets, indices) in zip(range(batches), positions, strict=False):
            batch = Batch(offsets, indices)
            seen.append(model.seen(model.features(batch), batch))
        seen = torch.cat(seen)
        sizes, directions = torch.linalg.eigh(torch.cov(seen.T))
        random = torch.randn(len(sizes), len(model.value2)) / len(sizes) ** 0.5
        model.value1.copy_(directions @ (random / (sizes.clamp(min=0)[:, None] + 1e-3) ** 0.5))
        model.clamp()
        model.value1_bias.copy_(-seen.mean(0) @ model.value1)
        model.clamp()


def distance(logits, wanted, batch):
    """Divergence from the wanted priors; and squared differences, as it does not see how bad the bad moves are."""
    found, wanted = (padded(part, batch.sizes) for part in (logits, wanted))
    shares = torch.log_softmax(wanted, 1)
    divergence = functional.kl_div(torch.log_softmax(found, 1), shares, reduction="batchmean", log_target=True)
    there = wanted > NOWHERE
    off = found - wanted  # 0 where there is no cell
    mean = off.sum(1, keepdim=True) / there.sum(1, keepdim=True)
    return divergence + 0.1 * ((off - mean)[there] ** 2).mean()
