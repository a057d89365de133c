from pathlib import Path

import pytest

from benchmarks.systems.registry import make_system
from every_kind.baseline_tests import *  # noqa: F403
from every_kind.baseline_tests import LABELS, QUERIES, TEXTS
from pocketintent.evaluation.intents.baselines import baseline_names, make_baseline
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.intents.cnn import CnnClassifier
from pocketintent_lab.evaluation.intents.fasttext import FastTextClassifier


@pytest.fixture(params=["fasttext", "cnn"])
def baseline(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    pytest.importorskip("floret" if name == "fasttext" else "torch")
    return name


def test_the_product_knows_them() -> None:
    assert {"fasttext", "cnn"} < set(baseline_names())


def test_fasttext_labels_texts_with_and_without_known_words() -> None:
    pytest.importorskip("floret")
    model = FastTextClassifier.train(TEXTS, ["a", "b", "c", "d"] * 6)
    assert model.label("play song") == "b"
    assert model.label("") in ("a", "b", "c", "d")
    assert model.label("zzz\nlights 灯") in ("a", "b", "c", "d")


def test_fasttext_is_asked_with_the_tokens_that_it_was_trained_on(tmp_path: Path) -> None:
    pytest.importorskip("floret")
    texts = ["Don't stop!", "what's up?"] * 12
    model = FastTextClassifier.train(texts, ["no", "hi"] * 12)
    model.save(tmp_path / "model.bin")
    for opened in (model, FastTextClassifier.load(tmp_path / "model.bin")):
        for text in ("Don't stop!", "DON\u2019T... STOP", "don 't stop"):
            assert opened.label(text) == "no"
        assert opened._model.get_words() == model._model.get_words()
    words = set(model._model.get_words()) - {"</s>"}
    assert words == {token for text in texts for token in FastTextClassifier.line(text).split()}


def test_the_network_equals_plain_convolutions() -> None:
    torch = pytest.importorskip("torch")
    from pocketintent_lab.evaluation.intents.cnn import _build_network

    torch.manual_seed(0)
    network = _build_network(torch.randn(30, 8), num_labels=4).eval()
    ids = torch.randint(1, 30, (6, 11))
    ids[:, :2] = ids[:, -2:] = 0
    words = network.words(ids).transpose(1, 2)
    pooled = [torch.relu(conv(words)).amax(dim=2) for conv in network.filters]
    expected = network.output(torch.cat(pooled, dim=1))
    torch.testing.assert_close(network(ids), expected)
    padded = torch.cat([ids, torch.zeros(6, 5, dtype=torch.long)], dim=1)
    torch.testing.assert_close(network(padded), expected)


def test_cnn_leaves_the_random_state_of_torch_alone(tiny_encoder: StaticEncoder) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    CnnClassifier(tiny_encoder, examples=50)(TEXTS, LABELS, QUERIES, 0)
    assert torch.rand(1) == expected


def test_the_network_needs_word_vectors() -> None:
    with pytest.raises(PocketIntentError, match="word vectors"):
        make_baseline("cnn")


def test_fasttext_is_a_system_of_the_benchmarks_and_reads_a_query_as_its_templates(
    tmp_path: Path,
) -> None:
    pytest.importorskip("floret")
    intents = ["lights", "music", "food", "greet"] * 6
    system = make_system("fasttext")
    system.build(tmp_path, TEXTS, intents)
    system.load(tmp_path)
    system.teach(TEXTS, intents)
    assert [system.match(f"{text.upper()}!") for text in TEXTS] == intents
    assert system.size(tmp_path) > 0
