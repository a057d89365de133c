"""The runs of a comparison: made once, by any number of processes, whatever ends."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.tasks import Task
from pocketintent_lab.comparison.worker import run_tasks

TESTS = Path(__file__).resolve().parent
SOURCES = TESTS.parents[2] / "sdk"


@dataclass(frozen=True)
class Fake(Task):
    """A run that writes its key to a file."""

    key: str
    needs: tuple[Any, ...] = ()
    makes_model: bool = False
    error: BaseException | None = None

    @property
    def label(self) -> str:
        return f"run {self.key}"

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        with (store.folder / "made.txt").open("a") as file:
            file.write(f"{self.key}\n")
        if self.error is not None:
            raise self.error
        if self.makes_model:
            store.model(self.key).touch()
        return {"answer": self.key}


def made(store: Store) -> list[str]:
    return (store.folder / "made.txt").read_text().split()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def notes() -> list[str]:
    return []


def test_a_finished_run_is_not_made_again(store: Store, notes: list[str]) -> None:
    tasks = [Fake("a"), Fake("b")]
    run_tasks(tasks, store, notes.append)
    run_tasks([*tasks, Fake("c")], store, notes.append)
    assert made(store) == ["a", "b", "c"]
    result = store.result("a")
    assert result is not None and result["outcome"] == {"answer": "a"}
    assert {"python", "numpy", "processor"} <= set(result["machine"])
    assert notes[0] == "2 runs, 0 of them finished before"
    assert "3 runs, 2 of them finished before" in notes
    assert notes[-1].startswith("[3/3] run c: ")


def test_a_failed_run_stops_only_the_runs_that_need_its_model(
    store: Store, notes: list[str]
) -> None:
    bad = Fake("bad", error=PocketIntentError("no such luck"))
    tasks = [bad, Fake("blocked", needs=(bad,)), Fake("good")]
    run_tasks(tasks, store, notes.append)
    run_tasks(tasks, store, notes.append)  # a failure is kept too
    assert made(store) == ["bad", "good"]
    assert (store.result("bad") or {})["error"] == "no such luck"
    assert store.result("blocked") is None
    assert any("run bad: failed: no such luck" in note for note in notes)


def test_a_run_waits_for_its_model(store: Store, notes: list[str]) -> None:
    model = Fake("model", makes_model=True)
    run_tasks([Fake("measure", needs=(model,)), model], store, notes.append)
    assert made(store) == ["model", "measure"]


def test_a_lost_model_is_trained_again_only_if_it_is_needed(store: Store, notes: list[str]) -> None:
    model = Fake("model", makes_model=True)
    tasks = [model, Fake("first", needs=(model,))]
    run_tasks(tasks, store, notes.append)
    store.model("model").unlink()
    run_tasks(tasks, store, notes.append)
    assert made(store) == ["model", "first"]
    run_tasks([*tasks, Fake("second", needs=(model,))], store, notes.append)
    assert made(store) == ["model", "first", "model", "second"]


def test_an_interrupted_comparison_goes_on_where_it_stopped(store: Store, notes: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_tasks([Fake("a"), Fake("b", error=KeyboardInterrupt())], store, notes.append)
    run_tasks([Fake("a"), Fake("b")], store, notes.append)
    assert made(store) == ["a", "b", "b"]


KILLED = """\
import os, signal, sys
from pathlib import Path
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.worker import run_tasks
from test_worker import Fake
class Deadly(Fake):
    def run(self, store, claim):
        super().run(store, claim)
        os.kill(os.getpid(), signal.SIGKILL)
run_tasks([Fake("a"), Deadly("b"), Fake("c")], Store(Path(sys.argv[1])), print)
"""

SHARED = """\
import sys, time
from pathlib import Path
from pocketintent_lab.comparison import worker
from pocketintent_lab.comparison.store import Store
from test_worker import Fake
worker.PAUSE = 0.01
class Slow(Fake):
    def run(self, store, claim):
        time.sleep(0.02)
        return super().run(store, claim)
print("ready", flush=True)
sys.stdin.readline()
models = [Slow(f"model{i}", makes_model=True) for i in range(6)]
measures = [Slow(f"measure{i}", needs=(model,)) for i, model in enumerate(models)]
worker.run_tasks([*models, *measures], Store(Path(sys.argv[1])), lambda note: None)
"""


def start(code: str, store: Store) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(SOURCES), str(TESTS), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-c", code, str(store.folder)],
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_the_claims_of_a_killed_process_are_free(store: Store, notes: list[str]) -> None:
    process = start(KILLED, store)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert list((store.folder / "claims").iterdir())  # the claim on "b" was never given back
    run_tasks([Fake("a"), Fake("b"), Fake("c")], store, notes.append)
    assert made(store) == ["a", "b", "b", "c"]


def test_two_processes_make_each_run_once(store: Store) -> None:
    processes = [start(SHARED, store) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    names = [f"{kind}{number}" for kind in ("measure", "model") for number in range(6)]
    assert sorted(made(store)) == names
