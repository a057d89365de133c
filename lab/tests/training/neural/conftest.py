from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture(scope="package")
def masked_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from masked_models import write_masked_model

    return write_masked_model(tmp_path_factory.mktemp("masked") / "bert")


@pytest.fixture(scope="package")
def masked_model(masked_folder: Path) -> Any:
    """The model in float64, so that two ways of computing differ by rounding alone."""
    from pocketintent_lab.training.neural.masked_model import MaskedModel

    model = MaskedModel(masked_folder)
    model.model.double()
    return model
