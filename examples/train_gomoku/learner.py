"""The training of the network: a step on a batch, averaged weights, the checkpoint."""

import copy
import math
import os
from pathlib import Path

import torch
from network import export, padded
from torch.nn import functional

BATCH = 512
"""Positions of a training step."""
AVERAGE = 0.99
"""Share of the averaged weights that a step keeps: they average about the last 100 steps, half a generation."""
LAST_RATE = 0.03
"""The learning rate at the end of the training, as a share of the initial one."""


class Learner:
    """A model in training. It exports the averages of its weights, which play better than the latest weights."""

    def __init__(self, model, rate=2e-3):
        self.model = model
        self.averaged = copy.deepcopy(model)
        self.rate = rate
        self.optimizer = torch.optim.Adam(model.parameters(), rate, fused=True)

    def step(self, sampled, done):
        """Learns from a batch; ``done`` is the completed share of the training. Returns the figures of the batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(done, 1))) / 2)
        loss, figures = losses(self.model, sampled)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.model.clamp()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.model.parameters()), 1 - AVERAGE)
        return figures

    def export(self, path, generation):
        """Writes the network file ``path`` with the averaged weights, atomically."""
        export(self.averaged, f"{path}.part", generation)
        os.replace(f"{path}.part", path)

    def save(self, path, progress):
        """Writes the checkpoint ``path`` with a dictionary of plain data, atomically."""
        torch.save({"model": self.model.state_dict(), "averaged": self.averaged.state_dict(),
                    "optimizer": self.optimizer.state_dict(), "progress": progress}, f"{path}.part")
        os.replace(f"{path}.part", path)

    def restore(self, path):
        """Restores a checkpoint; returns the dictionary that was saved with it."""
        saved = torch.load(Path(path), weights_only=True)
        self.model.load_state_dict(saved["model"])
        self.averaged.load_state_dict(saved["averaged"])
        self.optimizer.load_state_dict(saved["optimizer"])
        return saved["progress"]


def losses(model, sampled):
    """The loss of a batch, and ``(positions with a policy, cross-entropy, entropy, value loss)`` for the log."""
    batch, policies = sampled.batch, sampled.policies
    features = model.features(batch)
    values = torch.from_numpy(sampled.values)
    value_loss = functional.binary_cross_entropy_with_logits(model.value(features, batch), values)
    if not policies:
        return value_loss, (0, 0.0, 0.0, value_loss.item())
    weights = torch.from_numpy(sampled.weights)
    sizes = batch.sizes[:policies]
    logits = model.logits(features[:len(weights)])
    best = torch.logsumexp(padded(logits, sizes), 1).sum()
    policy_loss = (best - logits @ weights) / policies
    entropy = torch.special.entr(weights).sum() / policies
    return policy_loss + value_loss, (policies, policy_loss.item(), entropy.item(), value_loss.item())
