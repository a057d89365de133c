import sys
from pathlib import Path

import pytest

from pocketintent.runtime.errors import (
    MissingExtraError,
    ModelFileError,
    PocketIntentError,
    TemplateError,
    require,
)


@pytest.mark.parametrize("error", [ModelFileError, TemplateError, MissingExtraError])
def test_all_errors_of_bad_input_can_be_caught_as_one(error: type[Exception]) -> None:
    assert issubclass(error, PocketIntentError)
    assert issubclass(error, ValueError)


def test_a_module_that_is_there_is_returned() -> None:
    assert require("json.decoder", "train") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["no_such_package", "no_such_package.deep.inside"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(module: str) -> None:
    with pytest.raises(MissingExtraError) as caught:
        require(module, "train")
    assert "'no_such_package'" in str(caught.value)
    assert 'pip install "pocketintent[train]"' in str(caught.value)
    assert isinstance(caught.value, ImportError)


def test_a_package_broken_inside_does_not_look_like_a_missing_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_inside.py").write_text("import something_it_lacks")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="something_it_lacks") as caught:
        require("broken_inside", "train")
    assert not isinstance(caught.value, PocketIntentError)
