import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.multires.settings import Ensemble, Mixture, read_ensemble


def write(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "ensemble.json"
    path.write_text(json.dumps(content))
    return path


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    (tmp_path / "minilm").mkdir()
    path = write(
        tmp_path,
        {
            "mixtures": [
                {"source": "fast"},
                {
                    "source": "minilm",
                    "layers": [0, -1],
                    "weights": [0.3, 0.7],
                    "combine": "concatenate",
                    "idf": True,
                },
            ],
            "weights": [1, 0.5],
            "combine": "average",
        },
    )
    ensemble = read_ensemble(path)
    second = Mixture(str(tmp_path / "minilm"), (0, -1), (0.3, 0.7), "concatenate", True)
    assert ensemble == Ensemble((Mixture("fast"), second), (1.0, 0.5), "average")
    assert ensemble.uses_idf
    assert not ensemble.with_idf(False).uses_idf


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected a JSON object, found list"),
        ({}, '"mixtures" must be a list of at least one'),
        ({"mixtures": [], "weights": []}, '"mixtures" must be a list'),
        ({"mixture": []}, "unknown key 'mixture'; the keys are mixtures, weights, combine"),
        ({"mixtures": [3]}, "mixture 1: expected a JSON object, found int"),
        ({"mixtures": [{"source": ""}]}, '"source" must name'),
        ({"mixtures": [{"source": "a", "layers": [0.5]}]}, '"layers" must be a list of whole'),
        ({"mixtures": [{"source": "a", "weights": [0.5, 0.4]}]}, "must sum to 1, not 0.9"),
        ({"mixtures": [{"source": "a", "weights": ["1"]}]}, '"weights" must be a list of numbers'),
        ({"mixtures": [{"source": "a", "idf": 1}]}, '"idf" must be true or false'),
        ({"mixtures": [{"source": "a", "combine": "max"}]}, "one of sum, average, concatenate"),
        ({"mixtures": [{"source": "a"}], "weights": [1, 2]}, "2 weights for 1 mixtures"),
    ],
    ids=str,
)
def test_a_file_that_breaks_the_format_is_refused(
    content: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match=r"ensemble\.json.*") as error:
        read_ensemble(write(tmp_path, content))
    assert message in str(error.value)


def test_a_file_that_is_not_json_or_missing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ensemble.json"
    with pytest.raises(PocketIntentError, match="cannot be read"):
        read_ensemble(path)
    path.write_text("{")
    with pytest.raises(PocketIntentError, match="not JSON"):
        read_ensemble(path)


def test_layers_that_a_source_lacks_are_refused() -> None:
    assert Mixture("a", (-1, 0)).layers_of(3) == ([-1, 0], [0.5, 0.5])
    assert Mixture("a").layers_of(2) == ([0, 1], [0.5, 0.5])
    with pytest.raises(PocketIntentError, match="no layer 3; the layers are 0 to 2"):
        Mixture("a", (3,)).layers_of(3)
    with pytest.raises(PocketIntentError, match="1 weights for 2 layers"):
        Mixture("a", (0, 1), (1.0,)).layers_of(3)
