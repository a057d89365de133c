"""Small models that read characters, of each cell, format and setting, for the core in C."""

from __future__ import annotations

import numpy as np

from models.random_networks import random_network
from pocketintent.compression.quantise import quantise_charemb
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import Attention, CombinedEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.text.characters import CharVocabulary

LETTERS = " 'abcdefghijklmnopqrstuvwxyz"


def character_encoders(table: StaticEncoder) -> dict[str, ModelEncoder]:
    """The encoders by name; ``attention`` and ``all_words`` have the words of a table, too."""
    rng = np.random.default_rng(12)
    letters = CharVocabulary(LETTERS, max_chars=24)
    small = CharNetwork(dim=table.dim, char_dim=8, hidden=8, mlp=16)
    deep = CharNetwork(table.dim, "gru", 6, 7, layers=3, bidirectional=False, mlp=9, norm=False)
    stacked = CharNetwork(table.dim, char_dim=5, hidden=10, layers=2, mlp=11)
    attention = CharNetwork(table.dim, "transformer", 12, 12, layers=2, mlp=10, heads=3)
    # So many characters that their products are not kept.
    many = CharVocabulary(LETTERS + "".join(map(chr, range(0x3400, 0x9000))), max_chars=400)
    words = random_network(small, letters, rng, int8=True, reads="words")
    plain = StaticEncoder(table.vocabulary, table.words)
    near = Attention(share=0.5, temperature=0.3, weight=0.9, words=len(table.vocabulary) // 2)
    return {
        "deep": quantise_charemb(random_network(deep, letters, rng), "codebook"),
        "stacked": random_network(stacked, letters, rng, int8=True, reads="words"),
        "cell": random_network(attention, letters, rng, int8=True),
        "many": random_network(small, many, rng, reads="words"),
        "attention": CombinedEncoder(plain, words, near),
        "all_words": CombinedEncoder(plain, words, Attention()),
    }
