"""A masked language model cut in two: the part that tuning never changes, and the rest."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.neural.masked_model import MaskedModel


@dataclass(frozen=True)
class Below:
    """What the lower part of a model hands to the upper part."""

    states: Tensor
    """Hidden states, float32 [num_inputs, length, dim]."""
    mask: Tensor | None
    """The attention mask as the model's blocks read it, [num_inputs, …]; None if all is read."""


class UpperPart(nn.Module):
    """The blocks from the lowest tuned layer on, and the scores of the tokens.

    Args:
        model: The masked language model, whose parameters are shared.
        first_block: The lowest block with a tuned layer; the number of blocks if only layers
            above the blocks are tuned.
    """

    def __init__(self, model: MaskedModel, first_block: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(list(model.blocks)[first_block:])
        # The whole model with the transformer taken out, so that every kind of model computes
        # the scores in its own way.
        self.head = copy.copy(model.model)
        self.head._modules = dict(model.model._modules)
        self.head._modules[model.model.base_model_prefix] = _GivenStates()

    def forward(
        self, states: Tensor, mask: Tensor | None, places: Tensor, labels: Tensor, weights: Tensor
    ) -> Tensor:
        """The mean cross-entropy of masked tokens, scalar.

        Args:
            states: Hidden states, float32 [num_inputs, length, dim]; without blocks only those
                of the masked tokens, [num_places, dim].
            mask: The attention mask of the blocks.
            places: Places of the masked tokens in the flattened inputs, int64 [num_places].
            labels: Their tokens, int64 [num_places].
            weights: 1, or 0 for a place that only fills up the array, float32 [num_places].
        """
        for block in self.blocks:
            output = block(states, mask)
            states = output[0] if isinstance(output, tuple) else output
        if len(self.blocks):
            states = states.flatten(0, 1).index_select(0, places)
        scores = self.head(inputs_embeds=states[None]).logits[0]
        losses = functional.cross_entropy(scores, labels, reduction="none")
        return (losses * weights).sum() / weights.sum()


class SplitModel:
    """A masked language model whose lower part runs once for many steps of the upper part.

    Args:
        model: The model.
        layers: Names of the tuned parameters.

    Raises:
        PocketIntentError: A layer is below the blocks, where nothing can be computed once.
    """

    def __init__(self, model: MaskedModel, layers: Sequence[str]) -> None:
        self._model = model
        owners: dict[int, int] = {}
        for number, block in enumerate(model.blocks):
            owners.update((id(part), number) for part in block.parameters())
        named = dict(model.model.named_parameters())
        count = len(model.blocks)
        self._first = min(owners.get(id(named[name]), count) for name in layers)
        self.upper = UpperPart(model, self._first)
        upper_names = {id(part): name for name, part in self.upper.named_parameters()}
        for name in layers:
            if id(named[name]) not in upper_names:
                raise PocketIntentError(f"{name} is below the blocks; tune layers above it")
        self.names = [upper_names[id(named[name])] for name in layers]
        self.parameters = [named[name].detach() for name in layers]
        self.tunes_blocks = self._first < count

    def below(self, ids: Tensor, attention: Tensor) -> Below:
        """Run the lower part.

        Args:
            ids: Token ids, int64 [num_inputs, length].
            attention: 1 for a token and 0 for padding, int64 [num_inputs, length].

        Returns:
            The input of the lowest tuned block, or the last hidden states.
        """
        base = self._model.base
        if not self.tunes_blocks:
            return Below(base(ids, attention_mask=attention).last_hidden_state, None)
        inputs: list[Below] = []

        def stop(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            states, mask = (*args, None)[:2]
            inputs.append(Below(states, kwargs.get("attention_mask") if mask is None else mask))
            raise _Reached

        handle = self._model.blocks[self._first].register_forward_pre_hook(stop, with_kwargs=True)
        try:
            base(ids, attention_mask=attention)
        except _Reached:
            pass
        finally:
            handle.remove()
        return inputs[0]


class _GivenStates(nn.Module):
    """Stands in for a transformer whose last hidden states are known."""

    def forward(self, *args: Any, inputs_embeds: Tensor, **options: Any) -> Any:
        return _Output(inputs_embeds)


class _Output(tuple[Tensor]):
    """A transformer's output: the last hidden states by number or by name."""

    hidden_states = attentions = None

    def __new__(cls, states: Tensor) -> _Output:
        return super().__new__(cls, (states,))

    @property
    def last_hidden_state(self) -> Tensor:
        return self[0]


class _Reached(Exception):
    """The lowest tuned block was reached."""
