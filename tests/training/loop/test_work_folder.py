from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.loop.work_folder import fingerprint, open_folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("a b\n")
    return path


def test_a_run_is_only_resumed_with_its_settings_and_inputs(tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "model.safetensors.work"
    open_folder(folder, [fingerprint(corpus)], {"dim": 1}, resume=True, restart=False)
    open_folder(folder, [fingerprint(corpus)], {"dim": 1}, resume=True, restart=False)
    with pytest.raises(PocketIntentError, match="unfinished run: --resume continues it"):
        open_folder(folder, [fingerprint(corpus)], {"dim": 1}, resume=False, restart=False)
    with pytest.raises(PocketIntentError, match=r"made with other settings \(dim\)"):
        open_folder(folder, [fingerprint(corpus)], {"dim": 2}, resume=True, restart=False)
    corpus.write_text("b a\n")
    with pytest.raises(PocketIntentError, match="made with other input files"):
        open_folder(folder, [fingerprint(corpus)], {"dim": 1}, resume=True, restart=False)
    open_folder(folder, [fingerprint(corpus)], {"dim": 2}, resume=False, restart=True)


def test_a_finished_model_is_not_trained_again_by_resume(tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "model.safetensors.work"
    (tmp_path / "model.safetensors").write_bytes(b"finished")
    with pytest.raises(PocketIntentError, match=r"model\.safetensors is finished.*--restart"):
        open_folder(folder, [fingerprint(corpus)], {}, resume=True, restart=False)
    assert not folder.exists()
    open_folder(folder, [fingerprint(corpus)], {}, resume=False, restart=True)
    assert folder.exists()


def test_a_folder_counts_as_finished_if_it_is_not_empty(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "bert").mkdir()
    open_folder(tmp_path / "bert.work", [fingerprint(corpus)], {}, resume=True, restart=False)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "config.json").touch()
    with pytest.raises(PocketIntentError, match="full is finished"):
        open_folder(tmp_path / "full.work", [fingerprint(corpus)], {}, resume=True, restart=False)
