from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
from masked_models import write_masked_model
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.loader import load_teacher

NEURAL = 'kind = "neural"\nmodel = "bert"\ntuning_epochs = 2\n'


@pytest.fixture
def folder(tmp_path: Path, tiny_model: Path) -> Path:
    """A folder with the models that the files name."""
    write_masked_model(tmp_path / "bert")
    (tmp_path / "words.safetensors").write_bytes(tiny_model.read_bytes())
    return tmp_path


def test_a_file_describes_neural_embeddings(folder: Path) -> None:
    path = folder / "neural.toml"
    path.write_text(NEURAL)
    vectors = load_teacher(path).encode_batch(["play some music", ""])
    assert vectors.any(axis=1).tolist() == [True, False]
    path.with_suffix(".json").write_text('{"kind": "neural", "model": "bert", "tuning_epochs": 2}')
    again = load_teacher(path.with_suffix(".json")).encode_batch(["play some music", ""])
    np.testing.assert_array_equal(again, vectors)
    path.write_text(NEURAL + 'form = "cls"\nlayers = ["head"]\nblueprints = ["1,1"]\n')
    assert load_teacher(path).dim != vectors.shape[1]


def test_a_file_joins_teachers_which_may_be_files_too(folder: Path) -> None:
    (folder / "neural.toml").write_text(NEURAL)
    path = folder / "joined.toml"
    path.write_text('kind = "joined"\nteachers = ["words.safetensors", "neural.toml", "tiny"]\n')
    parts = [load_teacher(name) for name in (folder / "words.safetensors", folder / "neural.toml")]
    joined = load_teacher(path, max_tokens=64)
    assert joined.dim == sum(part.dim for part in (*parts, load_teacher("tiny")))
    vector = joined.encode("lamp on")
    own = parts[0].encode("lamp on")
    np.testing.assert_allclose(vector[: own.size] * np.sqrt(3), own, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind = ", r"neural\.toml: not TOML"),
        ('kind = "psychic"\n', r"neural\.toml: the kind of teacher is 'psychic'; the kinds are"),
        ("dim = 3\n", "the kind of teacher is None"),
        (NEURAL + "epochs = 3\n", "unknown key 'epochs'; the keys are kind, model, form"),
        ('kind = "neural"\n', "model must be the folder"),
        (NEURAL.replace("bert", "none"), "none: neural embeddings need the folder"),
        (NEURAL.replace("= 2", "= 0"), r"neural\.toml: tuning_epochs must be at least 1"),
        (NEURAL + 'form = "psychic"\n', r"neural\.toml: form must be one of neural, "),
        (NEURAL + "form = 3\n", r"neural\.toml: form must be one of"),
        (NEURAL + 'blueprints = ["2"]\n', r"neural\.toml: '2' is not a blueprint"),
        (NEURAL + "layers = 3\n", r"neural\.toml: layers must be a list of strings"),
        ('kind = "joined"\nteachers = ["tiny"]\n', "teachers must be a list of at least two"),
        ('kind = "joined"\nteachers = ["tiny", 3]\n', "teachers must be a list of at least two"),
    ],
)
def test_an_error_names_the_file_and_what_is_allowed(
    folder: Path, content: str, message: str
) -> None:
    path = folder / "neural.toml"
    path.write_text(content)
    with pytest.raises(PocketIntentError, match=message):
        load_teacher(path)


def test_neural_embeddings_are_made_in_float32(folder: Path) -> None:
    path = folder / "neural.toml"
    path.write_text(NEURAL)
    with pytest.raises(PocketIntentError, match="require --precision float32"):
        load_teacher(path, precision="bfloat16")
    with pytest.raises(PocketIntentError, match="max_tokens must be above 2"):
        load_teacher(path, max_tokens=2)
