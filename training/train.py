"""Train the reader in stretches: stop at a time, save, go on later."""

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Warnings and errors only: TensorFlow reads this when it is imported.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf

from training.batches import Batch, Batches
from training.encoder import Variables, initial, logits, losses, total, variables
from training.windows import FACTS, TASKS
from wenmai.embedders.e5.weights import Weights, open_weights

PEAK_RATE = 1.2e-4
WARM_UP = 80
LAST_RATE = 0.1
"""Share of the peak that the rate falls to at the end of a stretch."""
DECAY_SHARE = 0.3
"""Part of a stretch, at its end, in which the rate falls."""
HEAD_RATE = 10.0
"""How much faster the heads and the vectors of the kinds of tokens learn than the encoder."""
NEW_PARTS = ("head.", "segments")
DECAY, CLIP, BETAS, TINY = 0.01, 1.0, (0.9, 0.98), 1e-6
SAVE_EVERY, PRINT_EVERY = 100, 20


@dataclass(slots=True)
class State:
    """What a restart needs: weights, the two moments of each, and how many steps were made."""

    parts: Variables
    first: Variables
    second: Variables
    step: int

    def save(self, path: Path) -> None:
        """Write beside the file, then rename."""
        arrays = {f"{kind}/{name}": value.numpy() for kind, group in self._groups() for name, value in group.items()}
        draft = path.with_suffix(".draft.npz")
        np.savez(draft, step=self.step, **arrays)
        draft.replace(path)

    @classmethod
    def load(cls, path: Path) -> "State":
        """Read a state."""
        groups: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
        with np.load(path) as arrays:
            for key in arrays.files:
                kind, _, name = key.partition("/")
                groups[kind][name] = arrays[key]
        step = int(groups.pop("step")[""])
        return cls(variables(groups["parts"]), variables(groups["first"]), variables(groups["second"]), step)

    @classmethod
    def begin(cls, arrays: dict[str, np.ndarray]) -> "State":
        """Begin with weights and an optimizer that has seen nothing."""
        zeros = {name: np.zeros_like(value) for name, value in arrays.items()}
        return cls(variables(arrays), variables(zeros), variables(zeros), 0)

    def _groups(self) -> list[tuple[str, Variables]]:
        return [("parts", self.parts), ("first", self.first), ("second", self.second)]


def train(windows: Path, state_file: Path, minutes: float, seed: int) -> None:
    """Train for a stretch and save the state every hundred steps.

    Args:
        windows: folder of `prepare`.
        state_file: read where it exists, else begun.
        minutes: length of the stretch; the rate falls over its last part (`DECAY_SHARE`).
        seed: of the heads and of the order of the windows.
    """
    weights = open_weights()
    state = State.load(state_file) if state_file.exists() else State.begin(initial(weights, seed))
    batches, step = iter(Batches(windows, weights, seed + state.step)), _step_of(state, weights)
    begun, first = time.monotonic(), state.step
    seen: dict[str, list[float]] = defaultdict(list)
    while (spent := (time.monotonic() - begun) / 60 / minutes) < 1:
        rate = PEAK_RATE * min(1.0, (state.step - first + 1) / WARM_UP, _falling(spent))
        state.step += 1
        _note(seen, step(next(batches), rate, state.step))
        if state.step % PRINT_EVERY == 0:
            shown = " ".join(f"{name} {np.mean(values):.3f}" for name, values in seen.items() if values)
            print(
                f"{state.step} rate {rate:.1e} {(time.monotonic() - begun) / (state.step - first):.2f} s {shown}",
                flush=True,
            )
            seen.clear()
        if state.step % SAVE_EVERY == 0:
            state.save(state_file)
    state.save(state_file)


def _falling(spent: float) -> float:
    """Return the share of the peak rate at a part of the stretch."""
    return max(LAST_RATE, min(1.0, (1 - spent) / DECAY_SHARE))


def _note(seen: dict[str, list[float]], found: dict[str, float]) -> None:
    for name, value in found.items():
        if value > 0:
            seen[name].append(value)


def _step_of(state: State, weights: Weights):  # type: ignore[no-untyped-def]  # a function of TensorFlow's
    """Return a function that makes one step and gives the heads' losses."""
    names = list(state.parts)

    @tf.function(reduce_retracing=False)
    def made(embedded, segments, mask, tokens, facts, rate, count):  # type: ignore[no-untyped-def]
        with tf.GradientTape() as tape:
            found = logits(state.parts, embedded, segments, mask, weights.shape)
            parts = losses(
                found,
                segments,
                dict(zip(TASKS, tf.unstack(tokens), strict=True)),
                dict(zip(FACTS, tf.unstack(facts), strict=True)),
            )
            loss = total(parts)
        gradients = tape.gradient(loss, [state.parts[name] for name in names])
        gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
        gradients, _ = tf.clip_by_global_norm(gradients, CLIP)
        for name, gradient in zip(names, gradients, strict=True):
            _adam(state, name, gradient, rate, count)
        return parts

    def step(batch: Batch, rate: float, count: int) -> dict[str, float]:
        arrays = (batch.embedded, batch.segments, batch.mask, batch.tokens, batch.facts)
        found = made(
            *(tf.constant(array) for array in arrays), tf.constant(rate, tf.float32), tf.constant(count, tf.float32)
        )
        return {name: float(value) for name, value in found.items()}

    return step


def _adam(state: State, name: str, gradient, rate, count) -> None:  # type: ignore[no-untyped-def]
    """AdamW (Loshchilov and Hutter 2019); vectors do not decay."""
    first, second, part = state.first[name], state.second[name], state.parts[name]
    first.assign(BETAS[0] * first + (1 - BETAS[0]) * gradient)
    second.assign(BETAS[1] * second + (1 - BETAS[1]) * gradient * gradient)
    scale = tf.sqrt(1 - BETAS[1] ** count) / (1 - BETAS[0] ** count)
    change = scale * first / (tf.sqrt(second) + TINY)
    if len(part.shape) > 1:
        change += DECAY * part
    part.assign_sub(rate * (HEAD_RATE if name.startswith(NEW_PARTS) else 1.0) * change)
