"""InferSent in torch, for training; the runtime computes its encoder in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_lab.encoders.infersent.network import BiLstm, BiLstmSizes

_BELOW_ALL_STATES = -2.0  # the states of an LSTM are between -1 and 1
_PARTS = {
    "input": ("weight_ih",),
    "recurrent": ("weight_hh",),
    "bias": ("bias_ih", "bias_hh"),
}
"""The weights of torch that a weight of the runtime is the sum of."""


class InferSent(nn.Module):
    """A BiLSTM with max pooling, and a classifier of pairs for each question.

    Args:
        vectors: The words' vectors, which are not trained, float32 [num_words, word_dim].
        hidden: Size of the LSTM's state in one direction.
        mlp: Width of the classifiers' hidden layer.
        num_classes: Number of classes by question.
        dropout: Share of the numbers dropped, of the words' vectors and the classifiers' inputs.
    """

    vectors: Tensor

    def __init__(
        self,
        vectors: FloatArray,
        hidden: int,
        mlp: int,
        num_classes: Mapping[str, int],
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.sizes = BiLstmSizes(vectors.shape[1], hidden)
        self.register_buffer("vectors", torch.from_numpy(vectors), persistent=False)
        self.lstm = nn.LSTM(self.sizes.word_dim, hidden, batch_first=True, bidirectional=True)
        self.classifiers = nn.ModuleDict(
            {
                question: nn.Sequential(
                    nn.Linear(4 * self.sizes.dim, mlp), nn.Tanh(), nn.Linear(mlp, classes)
                )
                for question, classes in num_classes.items()
            }
        )
        self.dropout = nn.Dropout(dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """The vectors of sentences.

        Args:
            words: Numbers of the words, int64 [num_sentences, longest]; any numbers after the end.
            lengths: Words of each sentence, at least 1, int64 [num_sentences], on the CPU.

        Returns:
            [num_sentences, 2 * hidden], not normalised.
        """
        inputs = self.dropout(nn.functional.embedding(words, self.vectors))
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=_BELOW_ALL_STATES
        )
        largest: Tensor = states.amax(1)
        return largest

    def forward(self, question: str, words: Tensor, lengths: Tensor) -> Tensor:
        """The scores of the classes of pairs.

        Args:
            question: The question that the pairs answer.
            words: The words of the first sentences and then of the second, see :meth:`encode`.
            lengths: Words of each sentence.

        Returns:
            Logits, float32 [num_pairs, num_classes].
        """
        u, v = self.encode(words, lengths).chunk(2)
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=1)
        logits: Tensor = self.classifiers[question](self.dropout(features)).float()
        return logits

    def to_network(self) -> BiLstm:
        """The runtime's network, float32; an LSTM's two biases are stored as their sum."""
        state = {k: v.detach().float().cpu().numpy() for k, v in self.lstm.state_dict().items()}
        parameters = {}
        for name in self.sizes.shapes:
            _, _, direction, part = name.split(".")
            end = "_l0_reverse" if direction == "backward" else "_l0"
            arrays = [state[f"{source}{end}"] for source in _PARTS[part]]
            parameters[name] = sum(arrays[1:], arrays[0])
        return BiLstm(self.sizes, Weights.of_floats(parameters))
