from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.run import Run, open_run
from pocketintent.training.loop.trainer import CHECKPOINT


class Loop:
    """A training loop that notes what it was asked to do."""

    def __init__(self, checkpoint: bool) -> None:
        self.history: list[float] = []
        self.calls: list[str] = []
        self._checkpoint = checkpoint

    def resume(self) -> bool:
        self.calls.append("resume")
        self.history = [0.5]
        return self._checkpoint

    def train(self) -> None:
        self.calls.append("train")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def test_the_folder_is_there_while_the_run_lasts_and_gone_after_it(out: Path) -> None:
    with open_run(out, [], {"dim": 3}) as run:
        assert run.folder == out.with_name("model.safetensors.work")
        assert (run.folder / "run.json").exists()
        assert run.leads
        assert run.device == "cpu"
    assert not run.folder.exists()


def test_an_error_before_there_is_a_checkpoint_leaves_nothing(out: Path) -> None:
    with pytest.raises(PocketIntentError, match="no words"), open_run(out, [], {}):
        raise PocketIntentError("no words")
    assert list(out.parent.iterdir()) == []


def test_an_error_after_a_checkpoint_leaves_it(out: Path) -> None:
    with pytest.raises(PocketIntentError, match="no number"), open_run(out, [], {}) as run:
        (run.folder / CHECKPOINT).write_bytes(b"weights")
        raise PocketIntentError("the loss is no number")
    assert (run.folder / CHECKPOINT).read_bytes() == b"weights"


def test_a_run_that_is_stopped_can_be_gone_on_with_or_dropped(out: Path) -> None:
    with pytest.raises(KeyboardInterrupt), open_run(out, [], {}) as run:
        (run.folder / "encoded").touch()
        raise KeyboardInterrupt
    with pytest.raises(PocketIntentError, match="--resume goes on"), open_run(out, [], {}):
        pass
    with pytest.raises(KeyboardInterrupt), open_run(out, [], {}, resume=True) as run:
        assert run.resumed
        assert (run.folder / "encoded").exists()
        raise KeyboardInterrupt
    with open_run(out, [], {}, restart=True) as run:
        assert not (run.folder / "encoded").exists()


@pytest.mark.parametrize(
    ("resumed", "checkpoint", "calls", "lines"),
    [
        (False, True, ["train"], []),
        (True, True, ["resume", "train"], ["going on after 1 of 9 epochs"]),
        (True, False, ["resume", "train"], []),
    ],
)
def test_training_goes_on_where_it_was_stopped(
    out: Path, resumed: bool, checkpoint: bool, calls: list[str], lines: list[str]
) -> None:
    told: list[str] = []
    loop = Loop(checkpoint)
    with open_run(out, [], {}, resume=resumed, report=told.append) as run:
        run.train(loop, 9)
    assert (loop.calls, told) == (calls, lines)


def test_cuda_is_the_gpu_that_torchrun_gives_the_process(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Workers(rank=0, count=1, local_rank=3)
    monkeypatch.setattr(Workers, "join", classmethod(lambda cls, device: alone))
    with open_run(out, [], {}, device="cuda") as run:
        assert isinstance(run, Run)
        assert run.device == "cuda:3"


def test_only_the_leading_process_reports_and_removes(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = Workers(rank=1, count=1)
    monkeypatch.setattr(Workers, "join", classmethod(lambda cls, device: second))
    told: list[str] = []
    out.with_name("model.safetensors.work").mkdir()
    with open_run(out, [], {}, report=told.append) as run:
        run.report("working")
        assert not run.leads
    assert run.folder.exists()
    assert told == []
