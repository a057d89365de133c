"""Micro-tuning of a masked language model on one text: the plain way, and many texts at once.

Both ways take the same steps: Adam without weight decay, from the model's own weights, over the
masked copies of the text in a fixed order, without dropout. docs/neural.md lists how this differs
from the authors' program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap
from torch.nn import functional

from pocketintent.runtime.arrays import IntArray
from pocketintent_lab.training.neural.masked_model import MaskedModel, pad
from pocketintent_lab.training.neural.masks import MaskedCopy, split_steps
from pocketintent_lab.training.neural.settings import NeuralSettings
from pocketintent_lab.training.neural.split_model import SplitModel

# Scores of tokens that are computed at once: 4 MB, which a CPU's cache holds, is three times as
# fast as 128 MB; a GPU needs more to be busy.
_SCORES_ON_CPU, _SCORES_ON_GPU = 1 << 20, 1 << 27


@dataclass(frozen=True, eq=False)
class TextInputs:
    """A text as the inputs of a model."""

    pieces: list[IntArray]
    """The text with special tokens, one piece where it fits, each int64 [length]."""
    steps: list[list[MaskedCopy]]
    """The masked copies of each step of an epoch."""

    @classmethod
    def of(cls, model: MaskedModel, text: str, settings: NeuralSettings) -> TextInputs:
        """Split and mask a text."""
        pieces = model.pieces(text)
        copies = [copy for piece in pieces for copy in model.copies(piece, settings.blueprints)]
        return cls(pieces, split_steps(copies, settings.tuning.tuning_copies))

    @property
    def num_masks(self) -> int:
        """Largest number of masked tokens of a step."""
        return max(sum(len(copy.places) for copy in step) for step in self.steps)


def tune_plain(
    model: MaskedModel, layers: Sequence[str], text: TextInputs, settings: NeuralSettings
) -> list[Tensor]:
    """Tune a model on one text, by the loss of the whole model: the reference.

    Args:
        model: The model; its weights are restored afterwards.
        layers: Names of the tuned parameters.
        text: The text, with at least one step.
        settings: The settings.

    Returns:
        The change of each parameter, float32 [size].
    """
    named = dict(model.model.named_parameters())
    parameters = [named[name] for name in layers]
    originals = [part.detach().clone() for part in parameters]
    optimizer = torch.optim.Adam(parameters, settings.tuning.tuning_rate)
    with model.changed(layers, [torch.zeros_like(part) for part in originals]):
        for part in parameters:
            part.requires_grad_(True)
        for _ in range(settings.epochs):
            for step in text.steps:
                ids, attention, labels = _whole_inputs(step, model.device)
                scores = model.model(ids, attention_mask=attention).logits
                loss = functional.cross_entropy(scores.flatten(0, 1), labels.flatten())
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
        for part in parameters:
            part.requires_grad_(False)
        return [part - original for part, original in zip(parameters, originals, strict=True)]


def tune_together(
    split: SplitModel, texts: Sequence[TextInputs], settings: NeuralSettings, device: torch.device
) -> list[Tensor]:
    """Tune a copy of the layers for each text, many texts side by side.

    Only the upper part of the model runs in each step, on hidden states that are computed once.

    Args:
        split: The model, cut below the tuned layers.
        texts: The texts; each has at least one step.
        settings: The settings.
        device: Torch device of the model.

    Returns:
        The change of each parameter for each text, float32 [num_texts, size].
    """
    changes = [part.new_zeros(len(texts), len(part)) for part in split.parameters]
    scores = _SCORES_ON_CPU if device.type == "cpu" else _SCORES_ON_GPU
    for numbers in _groups(texts, scores // split.upper.head.config.vocab_size):
        group = [texts[number] for number in numbers]
        tuned = _tune_group(split, group, settings, device)
        for change, values, original in zip(changes, tuned, split.parameters, strict=True):
            change[numbers] = values - original
    return changes


def _groups(texts: Sequence[TextInputs], masks: int) -> Iterator[list[int]]:
    """Numbers of texts that are tuned side by side: as many steps each, and similar lengths.

    Args:
        texts: The texts.
        masks: Largest number of masked tokens of a step of a group, unless a text alone has more.
    """
    order = sorted(range(len(texts)), key=lambda i: (len(texts[i].steps), texts[i].num_masks))
    group: list[int] = []
    for number in order:
        text = texts[number]
        same = not group or len(texts[group[0]].steps) == len(text.steps)
        # The longest text of a group comes last and decides its size.
        if group and not (same and (len(group) + 1) * text.num_masks <= masks):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


@dataclass(frozen=True)
class _Inputs:
    """The inputs of the upper part in one step, with the text as the first dimension."""

    states: Tensor
    mask: Tensor | None
    places: Tensor
    labels: Tensor
    weights: Tensor


def _tune_group(
    split: SplitModel, texts: Sequence[TextInputs], settings: NeuralSettings, device: torch.device
) -> list[Tensor]:
    """The tuned parameters for texts of as many steps each, float32 [num_texts, size]."""
    with torch.no_grad():
        steps = [_below(split, copies, device) for copies in _steps(texts)]
    stacked = [part.expand(len(texts), -1).clone() for part in split.parameters]
    optimizer = torch.optim.Adam(stacked, settings.tuning.tuning_rate)

    def loss(parameters: dict[str, Tensor], *inputs: Tensor | None) -> Tensor:
        value: Tensor = functional_call(split.upper, parameters, inputs)
        return value

    for _ in range(settings.epochs):
        for step in steps:
            inputs = (step.states, step.mask, step.places, step.labels, step.weights)
            sides = (0, *(None if part is None else 0 for part in inputs))
            named = dict(zip(split.names, stacked, strict=True))
            gradients = vmap(grad(loss), in_dims=sides)(named, *inputs)
            for name, part in named.items():
                part.grad = gradients[name]
            optimizer.step()
    return stacked


def _steps(texts: Sequence[TextInputs]) -> Iterator[list[list[MaskedCopy]]]:
    """The copies of all texts in each step."""
    for number in range(len(texts[0].steps)):
        yield [text.steps[number] for text in texts]


def _below(split: SplitModel, texts: list[list[MaskedCopy]], device: torch.device) -> _Inputs:
    """Run the lower part of the model on the copies of several texts, padded to one shape."""
    count = max(map(len, texts))
    length = max(len(copy.ids) for copies in texts for copy in copies)
    shape = (len(texts), count, length)
    ids, attention = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    attention[:, :, 0] = 1  # an input that only fills up the array needs something to attend to
    rows = [np.concatenate([copy.labels for copy in copies]) for copies in texts]
    places, labels = [], pad(rows, (len(texts), max(map(len, rows))))
    for number, copies in enumerate(texts):
        ids[number, : len(copies)] = pad([copy.ids for copy in copies], (len(copies), length))
        for row, copy in enumerate(copies):
            attention[number, row, : len(copy.ids)] = 1
        places.append(np.concatenate([row * length + c.places for row, c in enumerate(copies)]))
    filled = np.arange(labels.shape[1]) < np.array([len(row) for row in rows])[:, None]
    to = _to(device)
    below = split.below(to(ids).flatten(0, 1), to(attention).flatten(0, 1))
    states = below.states.reshape(*shape[:2], *below.states.shape[1:])
    mask = None if below.mask is None else below.mask.reshape(*shape[:2], *below.mask.shape[1:])
    where = to(pad(places, labels.shape))
    if not split.tunes_blocks:
        index = where[:, :, None].expand(-1, -1, states.shape[-1])
        states = states.flatten(1, 2).gather(1, index)
    return _Inputs(states, mask, where, to(labels), to(filled).to(states.dtype))


def _whole_inputs(step: list[MaskedCopy], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Token ids, attention, and labels with -100 where nothing is predicted, each padded."""
    shape = (len(step), max(len(copy.ids) for copy in step))
    ids = pad([copy.ids for copy in step], shape)
    attention = pad([np.ones_like(copy.ids) for copy in step], shape)
    labels = np.full(shape, -100, np.int64)
    for row, copy in enumerate(step):
        labels[row, copy.places] = copy.labels
    to = _to(device)
    return to(ids), to(attention), to(labels)


def _to(device: torch.device) -> Any:
    return lambda array: torch.from_numpy(array).to(device)
