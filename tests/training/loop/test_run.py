import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.atomic import write_atomically  # noqa: E402
from pocketintent.training.loop.devices import Workers  # noqa: E402
from pocketintent.training.loop.run import (  # noqa: E402
    Run,
    RunOptions,
    open_run,
)
from pocketintent.training.loop.trainer import (  # noqa: E402  # noqa: E402
    CHECKPOINT,
    Epoch,
    Measurement,
    Step,
    Trainable,
    Trainer,
)


class Counted(Trainable):
    """A capability that notes the epochs that it is trained for."""

    epochs, unit, units_per_epoch, workers = 3, "steps", 1, Workers()

    def __init__(self) -> None:
        self.trained: list[int] = []

    def start_epoch(self, epoch: int) -> int:
        return 1

    def step(self, step: Step) -> tuple[float, float]:
        self.trained.append(step.epoch)
        return 1.0, 1.0

    def measure(self, epoch: Epoch) -> Measurement:
        return Measurement(epoch.loss, "measured")

    def state(self) -> dict[str, object]:
        return {}

    def load_state(self, state: dict[str, object]) -> None:
        pass


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


def test_a_stopped_run_can_be_resumed_or_dropped(out: Path) -> None:
    with pytest.raises(KeyboardInterrupt), open_run(out, [], {}) as run:
        (run.folder / "encoded").touch()
        raise KeyboardInterrupt
    with pytest.raises(PocketIntentError, match="--resume continues it"), open_run(out, [], {}):
        pass
    with pytest.raises(KeyboardInterrupt), open_run(out, [], {}, RunOptions(resume=True)) as run:
        assert run.resumed
        assert (run.folder / "encoded").exists()
        raise KeyboardInterrupt
    with open_run(out, [], {}, RunOptions(restart=True)) as run:
        assert not (run.folder / "encoded").exists()


class Killed(BaseException):
    """The process ended."""


@contextlib.contextmanager
def killed_at(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill a run at one of its file operations: neither that one nor a later one happens."""
    left = itertools.count(number, -1)

    def dying(operation: Callable[..., Any]) -> Callable[..., Any]:
        def operate(*args: Any, **options: Any) -> Any:
            if next(left) <= 0:
                raise Killed
            return operation(*args, **options)

        return operate

    with monkeypatch.context() as patch:
        for name in ("open", "mkdir", "rename", "replace", "unlink", "rmdir"):
            patch.setattr(os, name, dying(getattr(os, name)))
        yield


def train_and_save(out: Path) -> dict[str, Any]:
    """A pipeline with files of all kinds in its work folder."""
    with open_run(out, [], {"dim": 3}, RunOptions(resume=True)) as run:
        if run.finished:
            return run.record
        write_atomically(run.folder / "encoded", b"words")
        trainer = run.train(Counted())
        write_atomically(out, b"the model")
        run.record.update(loss=trainer.history)
    return run.record


def test_a_run_killed_at_any_file_operation_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in itertools.count():
        out = tmp_path / str(number) / "model.safetensors"
        out.parent.mkdir()
        with contextlib.suppress(Killed), killed_at(number, monkeypatch):
            train_and_save(out)
            break
        assert train_and_save(out) == {"loss": [1.0] * 3}
        assert out.read_bytes() == b"the model"
        assert [path for path in out.parent.iterdir() if path.suffix != ".tmp"] == [out]
    assert number > 20


def test_a_run_killed_while_it_deletes_its_folder_does_not_stop_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in itertools.count():
        out = tmp_path / str(number) / "model.safetensors"
        with contextlib.suppress(Killed), open_run(out, [], {"dim": 3}) as run:
            (run.folder / "encoded").touch()
            killing = contextlib.ExitStack()
            killing.enter_context(killed_at(number, monkeypatch))
        killing.close()
        if not list(out.parent.iterdir()):
            break
        if (out.parent / "model.safetensors.work.finished").exists():
            with open_run(out, [], {"dim": 4}) as run:  # no --resume, and other settings
                assert not run.finished
                assert [path.name for path in run.folder.iterdir()] == ["run.json"]
    assert number > 5


@pytest.mark.parametrize("error", [None, PocketIntentError, KeyboardInterrupt])
def test_a_run_on_a_gpu_is_deterministic_and_restores_what_it_changed(
    out: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | None
) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    enabled = torch.are_deterministic_algorithms_enabled
    for warn_only in (False, True):
        options = RunOptions(device="cuda", restart=True)
        with (
            contextlib.suppress(PocketIntentError, KeyboardInterrupt),
            open_run(out, [], {}, options, warn_only=warn_only),
        ):
            assert enabled()
            assert torch.is_deterministic_algorithms_warn_only_enabled() == warn_only
            if error is not None:
                raise error("ended")
        assert not enabled()


@pytest.mark.parametrize(
    ("resumed", "checkpoint", "trained", "going_on"),
    [
        (False, True, [0, 1, 2], []),
        (True, True, [1, 2], ["resuming after 1 of 3 epochs"]),
        (True, False, [0, 1, 2], []),
    ],
)
def test_training_goes_on_where_it_was_stopped(
    tmp_path: Path, resumed: bool, checkpoint: bool, trained: list[int], going_on: list[str]
) -> None:
    if checkpoint:
        Trainer(Counted(), tmp_path).train(stop_after=1)
    lines: list[str] = []
    task = Counted()
    trainer = Run(Workers(), "cpu", tmp_path, resumed, lines.append).train(task)
    assert task.trained == trained
    assert trainer.history == [1.0] * 3
    assert lines == [*going_on, *(f"epoch {epoch + 1} of 3: measured" for epoch in trained)]


def test_cuda_is_the_gpu_that_torchrun_gives_the_process(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Workers(rank=0, count=1, local_rank=3)
    monkeypatch.setattr(Workers, "join", classmethod(lambda cls, device: alone))
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    with open_run(out, [], {}, RunOptions(device="cuda")) as run:
        assert isinstance(run, Run)
        assert run.device == "cuda:3"


def test_only_the_leading_process_reports_and_removes(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = Workers(rank=1, count=1)
    monkeypatch.setattr(Workers, "join", classmethod(lambda cls, device: second))
    lines: list[str] = []
    out.with_name("model.safetensors.work").mkdir()
    with open_run(out, [], {}, RunOptions(report=lines.append)) as run:
        run.report("working")
        assert not run.leads
    assert run.folder.exists()
    assert lines == []
