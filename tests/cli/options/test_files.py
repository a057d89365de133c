from pathlib import Path

import pytest

from pocketintent.cli.options.files import check_folder
from pocketintent.runtime.errors import PocketIntentError


def test_a_file_in_a_folder_that_exists_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_folder("--out", tmp_path / "model.safetensors")
    monkeypatch.chdir(tmp_path)
    check_folder("--out", Path("model.safetensors"))


def test_a_missing_folder_is_named_with_the_option(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "model.safetensors"
    with pytest.raises(PocketIntentError) as caught:
        check_folder("--float-out", path)
    assert str(caught.value) == f"--float-out {path}: there is no folder {path.parent}"
