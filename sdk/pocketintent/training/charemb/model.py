"""The character network in torch, for training; the runtime computes it in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.charemb.settings import CharEmbSettings


def build_network(settings: CharEmbSettings, dim: int) -> CharNetwork:
    """The sizes of the network that the settings describe, for vectors of dimension ``dim``."""
    return CharNetwork(
        dim=dim,
        cell=settings.cell,
        char_dim=settings.hidden if settings.cell == "transformer" else settings.char_dim,
        hidden=settings.hidden,
        layers=settings.layers,
        bidirectional=settings.bidirectional,
        mlp=settings.mlp,
        heads=settings.heads,
        norm=settings.norm_weight > 0,
    )


class CharEmb(nn.Module):
    """Character embedding, recurrent or transformer layers, last states, MLP.

    Dropout is applied to the characters' embeddings, between the layers, to the last states
    and inside the MLP, in training only. ``num_characters`` includes the unknown character, and
    ``max_chars`` is also a transformer's number of positions.
    """

    def __init__(
        self, network: CharNetwork, num_characters: int, max_chars: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.network = network
        self.shapes = network.shapes(num_characters, max_chars)
        self.embedding = nn.Embedding(num_characters, network.char_dim)
        is_transformer = network.cell == "transformer"
        self.reader = (
            _Transformer(network, max_chars, dropout)
            if is_transformer
            else _Recurrent(network, dropout)
        )
        self.dropout = nn.Dropout(dropout)
        self.mlp = nn.ModuleList(
            [nn.Linear(network.state, network.mlp), nn.Linear(network.mlp, network.outputs)]
        )

    def forward(
        self, chars: torch.Tensor, lengths: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The vectors of texts.

        ``chars`` are the numbers of the characters, int64 ``[num_texts, longest]``, and any after
        the end; ``lengths``, at least 1, int64 ``[num_texts]``, are on the CPU. Returns directions
        of unit length, float32 ``[num_texts, dim]``, and the natural logarithms of the vectors'
        lengths, ``[num_texts]``, or None if the network has no norm.
        """
        state = self.reader(self.dropout(self.embedding(chars)), lengths)
        middle = torch.relu(self.mlp[0](self.dropout(state)))
        out = self.mlp[1](self.dropout(middle)).float()
        directions = nn.functional.normalize(out[:, : self.network.dim], dim=1)
        return directions, out[:, self.network.dim] if self.network.norm else None

    def set_mean_log_norm(self, value: float) -> None:
        """Initialise the logarithm of the length with the mean of the targets."""
        if self.network.norm:
            with torch.no_grad():
                self.mlp[1].bias[-1] = value  # type: ignore[operator]

    def parameters_by_name(self) -> dict[str, FloatArray]:
        """All weights, float32, by the names of :meth:`CharNetwork.shapes`.

        An LSTM's two biases are only ever added, so they are stored as one; so are a GRU's
        biases of the reset and update gates.
        """
        state = {k: v.detach().float().cpu().numpy() for k, v in self.state_dict().items()}
        named = {name: self._weight(name, state) for name in self.shapes}
        for name, shape in self.shapes.items():
            if named[name].shape != shape:
                raise PocketIntentError(f"weight {name} is {named[name].shape}, not {shape}")
        return named

    def _weight(self, name: str, state: Mapping[str, FloatArray]) -> FloatArray:
        """A named weight from the entries of torch's state."""
        if name == "embedding":
            return state["embedding.weight"]
        if name.startswith("mlp"):
            return state[name]
        if self.network.cell == "transformer":
            return state[f"reader.{_transformer_name(name)}"]
        _, layer, direction, part = name.split(".")
        end = "l0_reverse" if direction == "backward" else "l0"
        weight_ih, weight_hh, bias_ih, bias_hh = (
            state[f"reader.layers.{layer}.{kind}_{end}"]
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        new = slice(-self.network.hidden, None)  # the gate of a GRU that has both biases
        bias = bias_ih + bias_hh
        if self.network.cell == "gru":
            bias[new] = bias_ih[new]
        parts = {"input": weight_ih, "recurrent": weight_hh, "bias": bias}
        return (parts | {"recurrent_bias": bias_hh[new].copy()})[part]


def _transformer_name(name: str) -> str:
    """The name of a transformer's weight in torch's layers."""
    for ours, theirs in (
        ("layers.", "encoder.layers."),
        ("attention.input.", "self_attn.in_proj_"),
        ("attention.output", "self_attn.out_proj"),
        ("feedforward.0", "linear1"),
        ("feedforward.1", "linear2"),
        ("norm.0", "norm1"),
        ("norm.1", "norm2"),
    ):
        name = name.replace(ours, theirs)
    return f"encoder.{name}" if name.startswith("norm.") else name


class _Recurrent(nn.Module):
    """The last states of stacked LSTM or GRU layers, in one or both directions.

    Each layer is a module of its own, with our dropout between them: cuDNN's dropout inside a
    stack keeps a random state from step to step, so a resumed run would draw other numbers.
    """

    def __init__(self, network: CharNetwork, dropout: float) -> None:
        super().__init__()
        cell = nn.LSTM if network.cell == "lstm" else nn.GRU
        widths = [network.char_dim] + [network.state] * (network.layers - 1)
        self.layers = nn.ModuleList(
            cell(width, network.hidden, batch_first=True, bidirectional=network.bidirectional)
            for width in widths
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(
            x, lengths, batch_first=True, enforce_sorted=False
        )
        packed, states = self.layers[0](packed)
        for layer in list(self.layers)[1:]:
            packed, states = layer(packed._replace(data=self.dropout(packed.data)))
        last = states[0] if isinstance(states, tuple) else states  # [directions, texts, hidden]
        flat: torch.Tensor = last.transpose(0, 1).flatten(1)
        return flat


class _Transformer(nn.Module):
    """The mean of a transformer's outputs over the characters."""

    def __init__(self, network: CharNetwork, max_chars: int, dropout: float) -> None:
        super().__init__()
        self.positions = nn.Parameter(torch.randn(max_chars, network.hidden) * 0.02)
        sizes = (network.hidden, network.heads, 4 * network.hidden)
        layer = nn.TransformerEncoderLayer(*sizes, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(
            layer, network.layers, norm=nn.LayerNorm(network.hidden), enable_nested_tensor=False
        )

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        ends = lengths.to(x.device)[:, None]
        beyond = places[None, :] >= ends
        x = self.encoder(x + self.positions[: x.shape[1]], src_key_padding_mask=beyond)
        mean: torch.Tensor = x.masked_fill(beyond[:, :, None], 0.0).sum(1) / ends
        return mean
