import math

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.multires.functions import join_mixtures, mix_layers
from pocketintent_lab.training.multires.idf import InverseDocumentFrequency

LAYERS = np.array([[[1, 2], [3, 4]], [[10, 20], [30, 40]]], np.float32)  # [layer, word, dim]
WEIGHTS = [0.25, 0.75]


def test_a_mixture_is_the_weighted_sum_of_its_layers() -> None:
    expected = 0.25 * LAYERS[0] + 0.75 * LAYERS[1]
    np.testing.assert_allclose(mix_layers(LAYERS, WEIGHTS), expected)
    np.testing.assert_allclose(mix_layers(LAYERS, WEIGHTS, "average"), expected / 2)
    both = mix_layers(LAYERS, WEIGHTS, "concatenate")
    np.testing.assert_allclose(both, [[0.25, 0.5, 7.5, 15], [0.75, 1, 22.5, 30]])


def test_idf_multiplies_the_vector_of_a_word() -> None:
    idf = np.array([2, 0], np.float32)
    plain = mix_layers(LAYERS, WEIGHTS, "concatenate")
    weighted = mix_layers(LAYERS, WEIGHTS, "concatenate", idf)
    np.testing.assert_allclose(weighted, plain * idf[:, None])


def test_an_ensemble_sums_averages_or_concatenates_mixtures() -> None:
    short, long = np.array([[1.0]], np.float32), np.array([[2.0, 4.0]], np.float32)
    np.testing.assert_allclose(join_mixtures([short, long], [3, 0.5]), [[3, 1, 2]])
    np.testing.assert_allclose(join_mixtures([short, long], [3, 0.5], "sum"), [[4, 2]])
    np.testing.assert_allclose(join_mixtures([short, long], [3, 0.5], "average"), [[2, 1]])


def test_idf_is_the_logarithm_of_documents_over_document_frequency() -> None:
    idf = InverseDocumentFrequency([["a", "b", "a"], ["a"], ["a", "c"]])
    expected = [0, math.log(3), math.log(3)]
    np.testing.assert_allclose(idf(["a", "c", "unheard"]), expected, atol=1e-6)
    with pytest.raises(PocketIntentError, match="requires documents"):
        InverseDocumentFrequency([])
