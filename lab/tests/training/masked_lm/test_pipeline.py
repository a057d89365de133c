from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from masked_models import SMALL  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.atomic import move_into_place  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent_lab.training.masked_lm.data import MaskedBatches, prepare_texts  # noqa: E402
from pocketintent_lab.training.masked_lm.pipeline import train_masked_lm  # noqa: E402

QUICK = replace(SMALL, epochs=2, validation=0.1)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of two kinds, whose words predict each other."""
    rng = np.random.default_rng(0)
    groups = [["red", "green", "blue"], ["cat", "dog", "cow"]]
    lines = [" ".join(rng.choice(groups[number % 2], 3 + number % 3)) for number in range(80)]
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(lines))
    return path


def weights(folder: Path) -> dict[str, Any]:
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    return dict(model.state_dict())


def test_the_folder_is_read_by_transformers_and_the_loss_falls(
    corpus: Path, tmp_path: Path
) -> None:
    out, lines = tmp_path / "bert", []
    options = RunOptions(command="the command", languages=["en"], report=lines.append)
    settings = replace(QUICK, epochs=6, learning_rate=0.01)
    record = train_masked_lm([corpus], out, settings, options)
    losses = [entry["validation_loss"] for entry in record["history"]]
    assert losses[-1] < losses[0] - 0.1
    saved = orjson.loads((out / "training.json").read_bytes())
    assert saved == {name: value for name, value in record.items() if name != "seconds"}
    assert (saved["method"], saved["languages"]) == ("masked-lm", ["en"])
    assert saved["settings"] == asdict(settings)
    tokenizer = transformers.AutoTokenizer.from_pretrained(out)
    model = transformers.AutoModelForMaskedLM.from_pretrained(out)
    assert tokenizer.mask_token_id == 4 and tokenizer.model_max_length == 16
    scores = model(**tokenizer("red [MASK] blue", return_tensors="pt")).logits[0, 2]
    words = tokenizer.convert_tokens_to_ids(["red", "green", "blue", "cat", "dog", "cow"])
    assert scores[words].min() > scores.median()
    assert any(line.startswith("epoch 6 of 6: loss") for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == ["bert"]


def test_a_resumed_run_gives_the_weights_of_an_unbroken_run(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "bert"
    train_masked_lm([corpus], whole, QUICK)

    def stop(trainer: Trainer) -> None:
        train(trainer, 5)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        train: Callable[..., Any] = Trainer.train
        patch.setattr(Trainer, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train_masked_lm([corpus], out, QUICK)
    with pytest.raises(PocketIntentError, match=r"made with other settings \(precision\)"):
        train_masked_lm([corpus], out, QUICK, RunOptions(resume=True), precision="bfloat16")
    train_masked_lm([corpus], out, QUICK, RunOptions(resume=True))
    expected = weights(whole)
    for name, value in weights(out).items():
        assert torch.equal(value, expected[name]), name


def test_a_folder_of_something_else_is_not_replaced(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "bert"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(PocketIntentError, match="has other files in it"):
        train_masked_lm([corpus], out, QUICK)
    with pytest.raises(PocketIntentError, match="is a file; name a folder"):
        train_masked_lm([corpus], out / "notes.txt", QUICK)
    (out / "notes.txt").unlink()
    train_masked_lm([corpus], out, replace(QUICK, epochs=1))
    train_masked_lm([corpus], out, replace(QUICK, epochs=1, layers=1))
    assert not any("layer.1." in name for name in weights(out))


def test_a_folder_with_the_record_of_another_program_is_not_replaced(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bert"
    out.mkdir()
    for content in (b"{}", b"[1]", b"not JSON", b'{"method": "convrr"}'):
        (out / "training.json").write_bytes(content)
        with pytest.raises(PocketIntentError, match="has other files in it; name a new"):
            train_masked_lm([corpus], out, QUICK)


def test_a_model_is_not_replaced_together_with_a_file_that_was_put_beside_it(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bert"
    train_masked_lm([corpus], out, replace(QUICK, epochs=1))
    (out / "notes.txt").write_text("mine")
    with pytest.raises(PocketIntentError, match=r"other files in it, such as notes\.txt; name"):
        train_masked_lm([corpus], out, replace(QUICK, epochs=1))
    assert (out / "notes.txt").read_text() == "mine"


def test_a_folder_of_a_similar_name_stays_and_a_link_is_followed(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "bert.new").mkdir()
    (tmp_path / "bert.new" / "notes.txt").write_text("mine")
    link = tmp_path / "link"
    try:
        link.symlink_to(tmp_path / "bert")
    except OSError:
        pytest.skip("no symbolic links here")
    for layers in (1, 2):
        train_masked_lm([corpus], link, replace(QUICK, epochs=1, layers=layers))
    assert link.is_symlink()
    assert any("layer.1." in name for name in weights(tmp_path / "bert"))
    assert {path.name for path in tmp_path.iterdir()} == {"bert", "bert.new", "link"}


def test_a_run_that_is_stopped_as_it_saves_keeps_the_old_model_and_can_be_resumed(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "bert"
    train_masked_lm([corpus], out, replace(QUICK, epochs=1))
    old = weights(out)

    def stop(temporary: Path, target: Path, aside: Path | None = None) -> None:
        if target.suffix != ".work":
            raise KeyboardInterrupt
        move_into_place(temporary, target, aside)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pocketintent.runtime.files.atomic.move_into_place", stop)
        train_masked_lm([corpus], out, replace(QUICK, epochs=1, layers=1))
    assert weights(out).keys() == old.keys()
    train_masked_lm([corpus], out, replace(QUICK, epochs=1, layers=1), RunOptions(resume=True))
    assert not any("layer.1." in name for name in weights(out))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dim": 9}, "dim must be a multiple of heads, 2, not 9"),
        ({"mask_share": 1.0}, "mask_share must be above 0 and below 1"),
        ({"max_tokens": 2}, "max_tokens must be at least 3"),
    ],
)
def test_bad_settings_leave_nothing_behind(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        train_masked_lm([corpus], tmp_path / "bert", replace(QUICK, **changes))
    assert not list(tmp_path.iterdir())


def test_a_corpus_without_text_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text(" \n")
    with pytest.raises(PocketIntentError, match="no text to learn a tokenizer from"):
        train_masked_lm([path], tmp_path / "bert", QUICK)


def test_a_batch_has_texts_of_one_length_and_labels_where_tokens_are_hidden(
    corpus: Path, tmp_path: Path
) -> None:
    settings = replace(QUICK, mask_share=0.5, batch_tokens=40)
    prepare_texts([corpus], tmp_path, settings, lambda line: None)
    batches = MaskedBatches.load(tmp_path, settings)
    seen, hidden = 0, []
    for number in range(batches.start_epoch(0)):
        batch = batches.batch(number)
        np.testing.assert_array_equal(batch.ids, batches.batch(number).ids)
        assert batch.ids.size <= 40
        assert (batch.ids[:, 0] == 2).all() and (batch.ids[:, -1] == 3).all()
        assert len(batch.places) == len(batch.labels) > 0
        hidden += (batch.ids.reshape(-1)[batch.places] == batches.mask).tolist()
        seen += batch.ids.size
    assert seen == batches.tokens_per_epoch
    assert 0.6 < np.mean(hidden) < 0.95  # 80 %
    assert len(batches.validation) > 0
    assert not set(batches.training) & set(batches.validation)
