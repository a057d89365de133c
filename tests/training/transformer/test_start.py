from pathlib import Path

import numpy as np
import orjson
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.arrays import unit_rows  # noqa: E402
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.text.vocabulary import LostWords  # noqa: E402
from pocketintent.training.corpora.word_counts import CountedVocabulary  # noqa: E402
from pocketintent.training.transformer.start import BertFolder, cut_bert, narrow  # noqa: E402

WORDS = ["play", "jazz", "lamp", "playing", "p", "##z"]
TEXTS = ["play jazz", "lamp", "jazz jazz lamp play", "play playing lamp", "jazz lamp"] * 20


def cut(bert: Path, layers: int = 2) -> TransformerEncoder:
    words = CountedVocabulary(WORDS, np.arange(len(WORDS), 0, -1))
    return cut_bert(BertFolder.read(bert), words, LostWords(), layers=layers)


def test_all_layers_give_the_states_of_the_bert(bert: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    model = transformers.AutoModel.from_pretrained(bert).eval()
    encoder = cut(bert)
    for text in ("play", "jazz play lamp", "lamp lamp jazz"):
        # Our texts begin with a mark and have none at their end.
        ids = tokenizer(text, return_tensors="pt")["input_ids"][:, :-1]
        with torch.no_grad():
            mean = model(input_ids=ids).last_hidden_state[0].mean(0).numpy()
        np.testing.assert_allclose(encoder.encode(text), unit_rows(mean[None])[0], atol=2e-3)


def test_a_word_starts_at_the_mean_of_its_pieces(bert: Path) -> None:
    folder = BertFolder.read(bert)
    rows = folder.take("embeddings.word_embeddings.weight")
    pieces = [folder.pieces.index(piece) for piece in ("play", "##i", "##n", "##g")]
    playing = cut(bert).table.words.decode()[WORDS.index("playing")]
    np.testing.assert_allclose(playing, rows[pieces].mean(axis=0), rtol=1e-6)


def test_the_first_and_the_last_layers_are_kept(bert: Path) -> None:
    one = cut(bert, layers=1).network
    assert (one.layers, one.heads, one.feedforward) == (1, 2, 16)
    with pytest.raises(PocketIntentError, match="has 2 layers, fewer than 3"):
        cut(bert, layers=3)


def test_fewer_hidden_units_give_nearly_the_same_vectors(bert: Path) -> None:
    encoder = cut(bert)
    vectors = encoder.encode_batch(TEXTS[:5])
    cosines = {}
    for units in (2, 8, 15):
        narrowed = narrow(encoder, TEXTS, units)
        assert narrowed.network.feedforward == units
        cosines[units] = float((narrowed.encode_batch(TEXTS[:5]) * vectors).sum(axis=1).mean())
    assert cosines[2] <= cosines[8] <= cosines[15] + 1e-6
    assert cosines[8] > 0.999
    assert narrow(encoder, TEXTS, 16) is encoder


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", {"model_type": "mpnet"}, "a model of type bert with gelu, not 'mpnet'"),
        ("config.json", [], r"config\.json: the content must be a JSON object"),
        ("config.json", {"model_type": "bert"}, "must be those of a BERT: KeyError"),
        ("tokenizer.json", {"model": {}}, "must be those of a BERT: KeyError"),
        ("tokenizer.json", None, r"tokenizer\.json: not JSON"),
        ("model.safetensors", None, "must be those of a BERT: SafetensorError"),
    ],
)
def test_a_folder_of_something_else_is_refused(
    bert: Path, tmp_path: Path, name: str, content: object, message: str
) -> None:
    for file in ("config.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / file).write_bytes((bert / file).read_bytes())
    (tmp_path / name).write_bytes(b"{" if content is None else orjson.dumps(content))
    with pytest.raises(PocketIntentError, match=message):
        BertFolder.read(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match=r"config\.json: cannot be read"):
        BertFolder.read(tmp_path)
