"""The network for the first games: fitted to hand-made priors, with every value 0.5.

The priors know what any beginner knows: complete a five, otherwise prevent a five of the other side, otherwise make or
prevent a straight four, and so on. A network of random weights would have to discover this in its games first.
"""

import numpy as np
import torch
from network import NOWHERE, Batch, LineNetwork, padded
from patterns import OTHER, OWN, PATTERNS, REACH, half_lines, halves_of_patterns, patterns
from torch.nn import functional

OWN_SCORES = 18.0, 5.0, 2.5, 2.0, 0.7, 0.4, 0.15, 0.0
"""The score of a stone of the side to move that makes: five; a straight four (two cells complete it); another four; a
three that can become a straight four; another three; a two with room on several sides; another two; nothing."""
OTHER_SCORES = 12.0, 4.0, 2.0, 1.6, 0.5, 0.3, 0.1, 0.0
"""The score of a stone that prevents the other side from making the same."""
FIVE = 0
MOST_PART = 6.0
"""The upper limit of scores when making and preventing are learned separately."""
WINDOWS = [slice(begin, begin + 5) for begin in range(1, 6)]
"""The windows of five cells that contain the middle one of the eleven cells of a line."""


def lines():
    """The cells of all patterns, int8[66430, 11], with the (empty) cell itself in the middle; -1: off the board."""
    halves = half_lines()
    low, high = halves_of_patterns().T
    middle = np.zeros((PATTERNS, 1), np.int8)
    return np.concatenate([halves[low][:, ::-1], middle, halves[high]], 1)


def classes(player):
    """What a stone of ``player`` in the middle of each pattern makes, as an index into OWN_SCORES."""
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
    """The largest number of stones of ``player`` in a window without other stones, and the number of such windows."""
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
    """Plays games with moves drawn by their scores, in some games more randomly than in others. Yields the boards after
    each ply, int8[games, size, size], from the view of the side to move."""
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
    """Empties the boards ``which`` and puts one stone not far from the middle."""
    size = boards.shape[1]
    boards[which] = 0
    row, col = rng.integers(size // 4, size - size // 4, (2, len(which)))
    boards[which, row, col] = OTHER


def fit(steps=900, games=192, seed=1, rate=1e-2):
    """A network with the hand-made priors. 900 steps take less than a minute."""
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
        # a value depends on whose threats these are, and the policy alone does not train that into the features
        loss = loss + functional.mse_loss(parts(features), wanted.clamp(max=MOST_PART))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.clamp()
        schedule.step()
    even_out(model, random_games(score, games, 60, rng))
    return model


def even_out(model, positions, batches=40):
    """Initialises the value's first layer so that its outputs are independent and of equal size.

    The sums over all cells are correlated, because all grow with the number of cells. With plain random weights, the
    value learned nothing in the first hundreds of steps.
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
    """The divergence from the wanted priors, plus squared differences: the divergence ignores how bad bad moves are."""
    found, wanted = (padded(part, batch.sizes) for part in (logits, wanted))
    shares = torch.log_softmax(wanted, 1)
    divergence = functional.kl_div(torch.log_softmax(found, 1), shares, reduction="batchmean", log_target=True)
    there = wanted > NOWHERE
    off = found - wanted  # 0 where there is no cell
    mean = off.sum(1, keepdim=True) / there.sum(1, keepdim=True)
    return divergence + 0.1 * ((off - mean)[there] ** 2).mean()
