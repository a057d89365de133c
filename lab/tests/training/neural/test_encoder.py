from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent_lab.training.neural.encoder import NeuralEncoder, combine_changes  # noqa: E402
from pocketintent_lab.training.neural.settings import (  # noqa: E402
    FORMS,
    Blueprint,
    NeuralSettings,
    TuningSettings,
)
from pocketintent_lab.training.neural.tuning import TextInputs, tune_plain  # noqa: E402

LONG = "turn on the light. " * 9 + "play some music? what is the weather in the kitchen of the town"
TEXTS = ["turn on the light", "", "lamp", "play some music in the kitchen", LONG]
QUICK = NeuralSettings(tuning=TuningSettings(tuning_epochs=3))
BLOCK = replace(QUICK, layers=("block",))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"layers": ("block",)},
        {"layers": ("bert.encoder.layer.0.output.*", "cls.predictions.bias")},
        {"blueprints": (Blueprint(1, 2),)},
        {"tuning": TuningSettings(tuning_epochs=2, tuning_copies=5)},
        {"form": "avg-tuned", "layers": ("block",)},
    ],
    ids=str,
)
def test_texts_side_by_side_give_the_vectors_of_the_plain_way(
    masked_model: Any, changes: dict[str, Any]
) -> None:
    settings = replace(QUICK, **changes)
    plain = NeuralEncoder(masked_model, settings, plain=True).encode_batch(TEXTS)
    fast = NeuralEncoder(masked_model, settings).encode_batch(TEXTS)
    np.testing.assert_allclose(fast, plain, atol=1e-6)  # the vectors are float32
    assert len({row.tobytes() for row in fast}) == len(TEXTS)


def test_a_vector_has_the_change_of_each_layer_at_equal_length(masked_model: Any) -> None:
    encoder = NeuralEncoder(masked_model, QUICK)
    assert encoder.layers == [
        f"cls.predictions.transform.{name}"
        for name in ("dense.bias", "LayerNorm.weight", "LayerNorm.bias")
    ]
    vector = encoder.encode("turn on the light")
    assert vector.dtype == np.float32 and vector.shape == (encoder.dim,) == (24,)
    np.testing.assert_allclose(np.linalg.norm(vector.reshape(3, 8), axis=1), 3**-0.5, rtol=1e-5)
    text = TextInputs.of(masked_model, "turn on the light", QUICK)
    changes = tune_plain(masked_model, encoder.layers, text, QUICK)
    expected = combine_changes([change[None] for change in changes])[0]
    np.testing.assert_allclose(vector, expected, atol=1e-6)
    # Three steps of Adam move each weight by less than three times the learning rate.
    assert max(float(change.abs().max()) for change in changes) < 0.031


def test_the_model_is_as_before_after_each_form(masked_model: Any) -> None:
    before = {name: part.clone() for name, part in masked_model.model.state_dict().items()}
    for form in FORMS:
        for plain in (False, True):
            NeuralEncoder(masked_model, replace(BLOCK, form=form), plain=plain).encode("a lamp")
    for name, part in masked_model.model.state_dict().items():
        assert torch.equal(part, before[name]), name
    assert not any(part.requires_grad for part in masked_model.model.parameters())


def test_the_relatives_are_hidden_states_of_the_model_as_it_is_and_tuned(masked_model: Any) -> None:
    (piece,) = masked_model.pieces("play some music")
    states = masked_model.base(torch.from_numpy(piece)[None]).last_hidden_state[0].detach()
    vectors = {form: NeuralEncoder(masked_model, replace(BLOCK, form=form)) for form in FORMS}
    vectors = {form: encoder.encode("play some music") for form, encoder in vectors.items()}
    for form, state in (("cls", states[0]), ("avg", states.mean(0))):
        np.testing.assert_allclose(vectors[form], state / state.norm(), atol=1e-6)
        assert not np.allclose(vectors[f"{form}-tuned"], vectors[form], atol=1e-3)
        assert not np.allclose(vectors[f"{form}-diff"], vectors[f"{form}-tuned"], atol=1e-3)
    one = replace(BLOCK, tuning=TuningSettings(tuning_epochs=1))
    expected = NeuralEncoder(masked_model, one).encode("play some music")
    np.testing.assert_array_equal(vectors["neural-1"], expected)


def test_settings_that_do_not_fit_are_rejected(masked_model: Any) -> None:
    with pytest.raises(PocketIntentError, match="name layers within the blocks"):
        NeuralEncoder(masked_model, replace(QUICK, form="cls-tuned"))
    with pytest.raises(PocketIntentError, match="no layer of one dimension is named 'nothing'"):
        NeuralEncoder(masked_model, replace(QUICK, layers=("head", "nothing")))
    with pytest.raises(PocketIntentError, match="is below the blocks"):
        NeuralEncoder(masked_model, replace(QUICK, layers=("bert.embeddings.LayerNorm.*",)))
    with pytest.raises(PocketIntentError, match="tuning_epochs must be at least 1"):
        NeuralEncoder(masked_model, NeuralSettings(tuning=TuningSettings(tuning_epochs=0)))
    with pytest.raises(PocketIntentError, match="at least one layer and one blueprint"):
        NeuralEncoder(masked_model, replace(QUICK, layers=()))
