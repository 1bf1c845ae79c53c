"""The network, its training, and its export as an ONNX file. Needs PyTorch and onnx."""

import logging
import warnings

import torch
from torch import nn
from torch.nn import functional

PLANES, ROWS, COLS = 3, 6, 7
BATCH = 256
"""Positions in a training step."""


class Block(nn.Module):
    """Two convolutions with a skip connection (He et al., CVPR 2016)."""

    def __init__(self, channels):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return functional.relu(x + self.convolutions(x))


class Network(nn.Module):
    """Maps observations [B, 3, 6, 7] to the logits of the columns [B, 7] and the values [B] from -1 to 1."""

    def __init__(self, channels=32, blocks=2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(PLANES, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            *(Block(channels) for _ in range(blocks)))
        self.policy = nn.Sequential(
            nn.Conv2d(channels, 8, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(),
            nn.Linear(8 * ROWS * COLS, COLS))
        self.value = nn.Sequential(
            nn.Conv2d(channels, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(),
            nn.Linear(4 * ROWS * COLS, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def forward(self, observations):
        x = self.body(observations)
        return self.policy(x), self.value(x)[:, 0]


class Evaluating(nn.Module):
    """The network in the form of an evaluator: with probabilities of the columns in place of logits."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, observations):
        logits, value = self.network(observations)
        return torch.softmax(logits, 1), value


def train(network, data, epochs, rate, seed, result_share):
    """Trains the network on ``data``; returns the mean losses of policy and value in the last epoch.

    Connect Four is its own mirror image, so every position is used as it is or mirrored, at random. The target of the
    value is a mean of the game's result, with the weight ``result_share``, and of the search's value. The result is
    noisy, and the search's value is biased.
    """
    generator = torch.Generator().manual_seed(seed)
    observations, policies, results, values = (
        torch.from_numpy(array) for array in (data.observations, data.policies, data.results, data.values))
    targets = result_share * results + (1 - result_share) * values
    steps = max(1, len(data) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=epochs * steps, pct_start=0.2)
    network.train()
    for _ in range(epochs):
        order = torch.randperm(len(data), generator=generator)
        sums = torch.zeros(2)
        for step in range(steps):
            rows = order[step * BATCH:(step + 1) * BATCH]
            seen, policy = observations[rows], policies[rows]
            mirrored = torch.rand(len(rows), generator=generator) < 0.5
            seen = torch.where(mirrored[:, None, None, None], seen.flip(3), seen)
            policy = torch.where(mirrored[:, None], policy.flip(1), policy)
            logits, value = network(seen)
            policy_loss = functional.cross_entropy(logits, policy)
            value_loss = functional.mse_loss(value, targets[rows])
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            optimizer.step()
            schedule.step()
            sums += torch.stack([policy_loss.detach(), value_loss.detach()])
    network.eval()
    return (sums / steps).tolist()


def save(network, path):
    """Writes the ONNX file ``path``, from observations [batch, 3, 6, 7] to policy [batch, 7] and value [batch]."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns that torchvision is missing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            Evaluating(network).eval(), (torch.zeros(2, PLANES, ROWS, COLS),), dynamo=True, verbose=False,
            input_names=["observations"], output_names=["policy", "value"],
            dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=2**16)},))
    for node in program.model.graph:  # source locations of the nodes, which take as much room as the weights
        node.metadata_props.clear()
    program.save(str(path))
