import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.loop.devices import Workers, choose_precision, prepare_torch  # noqa: E402


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


def test_precision_depends_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert choose_precision("auto", cpu) == torch.float32
    assert choose_precision("bfloat16", cpu) == torch.bfloat16
    for supported, dtype in ((True, torch.bfloat16), (False, torch.float16)):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda value=supported: value)
        assert choose_precision("auto", gpu) == dtype
        assert choose_precision("float32", gpu) == torch.float32


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
