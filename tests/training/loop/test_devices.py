import os
from collections.abc import Iterator
from inspect import signature
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.loop.devices import (  # noqa: E402
    Workers,
    choose_precision,
    deterministic_algorithms,
    fix_cublas_workspace,
    prepare_torch,
)

WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"


@pytest.fixture
def no_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without the variable, which is restored after the test."""
    monkeypatch.setenv(WORKSPACE, "")
    monkeypatch.delenv(WORKSPACE)


@pytest.fixture
def flags() -> Iterator[None]:
    """The settings of torch that are restored after the test."""
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    ("device", "threads", "message"),
    [
        ("cpu", 0, "--threads must be 1 or more, not 0"),
        ("toaster", None, "--device toaster: "),
        ("cuda", None, "--device cuda: this torch sees no GPU"),
    ],
)
def test_a_device_or_a_number_of_threads_that_cannot_be_used_is_named(
    device: str, threads: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(PocketIntentError, match=message):
        prepare_torch(device, threads)


def test_threads_are_set() -> None:
    before = torch.get_num_threads()
    prepare_torch("cpu", 1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


@pytest.mark.parametrize("hardware", [True, False])
def test_precision_depends_on_the_device(monkeypatch: pytest.MonkeyPatch, hardware: bool) -> None:
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    # torch also emulates bfloat16 on GPUs that lack it, which is slower than float32.
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: including_emulation or hardware
    )
    assert choose_precision("auto", cpu) == torch.float32
    assert choose_precision("bfloat16", cpu) == torch.bfloat16
    assert choose_precision("auto", gpu) == (torch.bfloat16 if hardware else torch.float16)
    assert choose_precision("float32", gpu) == torch.float32
    assert choose_precision("bfloat16", gpu) == torch.bfloat16


def test_torch_can_leave_out_the_emulation_of_bfloat16() -> None:
    assert "including_emulation" in signature(torch.cuda.is_bf16_supported).parameters


def test_recurrent_layers_have_no_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: True)
    assert choose_precision("auto", gpu, recurrent=True) == torch.float16
    assert choose_precision("float16", gpu, recurrent=True) == torch.float16
    assert choose_precision("float32", gpu, recurrent=True) == torch.float32
    for device in (cpu, gpu):
        with pytest.raises(PocketIntentError, match="LSTM and GRU layers run in float32"):
            choose_precision("bfloat16", device, recurrent=True)


@pytest.mark.usefixtures("no_workspace")
def test_the_workspace_is_fixed_before_the_first_use_of_the_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str | None] = []

    def empty(*args: Any, **options: Any) -> None:
        seen.append(os.environ.get(WORKSPACE))

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch, "empty", empty)
    prepare_torch("cpu", None)
    prepare_torch("cuda:1", None)
    assert seen == [None, ":4096:8"]


@pytest.mark.usefixtures("no_workspace")
def test_a_workspace_that_comes_too_late_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.raises(PocketIntentError, match=f"set the environment variable {WORKSPACE}=:4096"):
        fix_cublas_workspace("cuda")
    fix_cublas_workspace("cpu")
    assert WORKSPACE not in os.environ
    monkeypatch.setenv(WORKSPACE, ":16:8")
    fix_cublas_workspace("cuda")
    assert os.environ[WORKSPACE] == ":16:8"


@pytest.mark.usefixtures("no_workspace", "flags")
@pytest.mark.parametrize("before", [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("error", [None, PocketIntentError, KeyboardInterrupt])
def test_deterministic_flags_are_restored(
    before: tuple[bool, bool], error: type[BaseException] | None
) -> None:
    torch.use_deterministic_algorithms(before[0], warn_only=before[1])
    for warn_only in (True, False):
        try:
            with deterministic_algorithms("cuda:0", warn_only=warn_only):
                assert deterministic_flags() == (True, warn_only)
                assert not torch.backends.cuda.cudnn_sdp_enabled()
                assert not torch.backends.cuda.mem_efficient_sdp_enabled()
                if error is not None:
                    raise error("ended")
        except (PocketIntentError, KeyboardInterrupt):
            pass
        assert deterministic_flags() == before
        assert torch.backends.cuda.mem_efficient_sdp_enabled()
        assert torch.utils.deterministic.fill_uninitialized_memory
    with deterministic_algorithms("cpu"):
        assert deterministic_flags() == before


def deterministic_flags() -> tuple[bool, bool]:
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )


def test_a_single_process_leads_and_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    workers = Workers.join("cpu")
    workers.wait()
    assert workers == Workers(rank=0, count=1, local_rank=0)
    assert workers.leads
    assert workers.from_leader(0.1) == 0.1
    assert [workers.device(name) for name in ("cpu", "cuda", "cuda:1")] == [
        *("cpu", "cuda:0", "cuda:1")
    ]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The calls to a torch.distributed that does nothing, in a machine of two GPUs."""
    noted: list[tuple[Any, ...]] = []
    distributed = torch.distributed
    for name, value in (("WORLD_SIZE", "2"), ("RANK", "1"), ("LOCAL_RANK", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda gpu: noted.append(("gpu", gpu)))
    monkeypatch.setattr(distributed, "is_initialized", lambda: False)
    monkeypatch.setattr(distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(
        distributed, "init_process_group", lambda backend: noted.append(("join", backend))
    )

    def new_group(backend: str, timeout: Any) -> str:
        noted.append(("group", backend, timeout.days))
        return "patient"

    monkeypatch.setattr(distributed, "new_group", new_group)
    monkeypatch.setattr(distributed, "barrier", lambda group: noted.append(("wait", group)))
    return noted


def test_a_process_takes_its_gpu_and_waits_for_days(calls: list[tuple[Any, ...]]) -> None:
    workers = Workers.join("cuda")
    assert workers == Workers(rank=1, count=2, local_rank=1)
    workers.wait()
    assert calls == [("gpu", 1), ("join", "nccl"), ("group", "gloo", 7), ("wait", "patient")]


def test_processes_on_a_cpu_wait_for_days_too(calls: list[tuple[Any, ...]]) -> None:
    Workers.join("cpu").wait()
    assert calls == [("join", "gloo"), ("group", "gloo", 7), ("wait", "patient")]


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda", "process 2 of this machine has no GPU, as there are 1; .* --nproc-per-node 1"),
        ("cuda:1", "--device cuda:1: several processes need a GPU each; use --device cuda"),
    ],
)
def test_more_processes_than_gpus_are_refused(
    calls: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, device: str, message: str
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(PocketIntentError, match=message):
        Workers.join(device)
    assert calls == []
