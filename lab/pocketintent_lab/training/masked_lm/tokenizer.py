"""A WordPiece tokenizer learnt from a corpus, with the special tokens of BERT."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError, require

PADDING, UNKNOWN, FIRST, LAST, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special tokens, whose ids are 0 to 4."""


def learn_tokenizer(texts: Iterable[str], vocabulary: int, max_tokens: int) -> Any:
    """Learn word pieces of lower-case text.

    Args:
        texts: The texts, streamed once.
        vocabulary: Largest number of tokens, the special tokens included.
        max_tokens: Longer inputs are cut to this number of tokens.

    Returns:
        A ``tokenizers.Tokenizer``, which surrounds each text by ``[CLS]`` and ``[SEP]``.

    Raises:
        MissingExtraError: tokenizers is not installed.
        PocketIntentError: The texts have no character.
    """
    library = require("tokenizers", "teacher")
    tokenizer = library.Tokenizer(library.models.WordPiece(unk_token=UNKNOWN))
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = library.decoders.WordPiece()
    trainer = library.trainers.WordPieceTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() <= len(SPECIAL):
        raise PocketIntentError("the corpus has no text to learn a tokenizer from")
    ends = [(token, tokenizer.token_to_id(token)) for token in (FIRST, LAST)]
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single=f"{FIRST} $A {LAST}", pair=f"{FIRST} $A {LAST} $B:1 {LAST}:1", special_tokens=ends
    )
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def to_transformers(file: Path, max_tokens: int) -> Any:
    """The tokenizer of a file, as transformers saves and loads it.

    Args:
        file: A ``tokenizer.json`` of :func:`learn_tokenizer`.
        max_tokens: The longest input of the model.
    """
    return require("transformers", "teacher").PreTrainedTokenizerFast(
        tokenizer_file=str(file),
        model_max_length=max_tokens,
        pad_token=PADDING,
        unk_token=UNKNOWN,
        cls_token=FIRST,
        sep_token=LAST,
        mask_token=MASK,
    )
