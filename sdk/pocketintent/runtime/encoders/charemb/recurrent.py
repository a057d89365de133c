"""The LSTM or GRU of a character encoder, which reads characters and returns its last states."""

from __future__ import annotations

from collections.abc import Sequence

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.recurrent.reader import RecurrentReader
from pocketintent.runtime.encoders.weights import Parameters


class LastStatesReader:
    """The last states of an LSTM or a GRU over the characters of a text.

    The input products of the first layer are computed once for each character of the vocabulary.

    Args:
        network: The settings.
        parameters: The weights, float32, by the names of :meth:`CharNetwork.shapes`.
    """

    def __init__(self, network: CharNetwork, parameters: Parameters) -> None:
        self._reader = RecurrentReader(network, parameters)
        self._table = self._reader.project(parameters["embedding"])

    def read(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The last states of all directions, side by side.

        Args:
            texts: Character numbers of each text; no text may be empty.

        Returns:
            float32 ``[num_texts, state]``.
        """
        return self._reader.last_states(self._table, texts)
