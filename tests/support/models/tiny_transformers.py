"""Transformers with random weights in a folder, small enough for tests."""

from collections.abc import Sequence
from pathlib import Path

import pytest


def write_transformer(folder: Path, words: Sequence[str]) -> None:
    """Write a BERT of two layers and eight dimensions, with its WordPiece tokenizer.

    Args:
        folder: An existing folder.
        words: The pieces of the vocabulary, beside the special tokens.
    """
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizers = pytest.importorskip("tokenizers")
    wordpiece = tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt"))
    wordpiece.save(str(folder / "tokenizer.json"))
    tokenizer = transformers.BertTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=256,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
