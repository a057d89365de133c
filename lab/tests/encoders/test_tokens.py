import numpy as np
import pytest

from models.lamp_tables import DIM, make_table
from models.random_contexts import random_context
from models.random_networks import random_network
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import CombinedEncoder
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent_lab.encoders.tokens import combine_tokens, embed_tokens

TOKENS = ["lamp", "zzz", "on"]


def test_a_contextual_encoder_embeds_tokens_without_context() -> None:
    table = make_table()
    encoder = ContextualEncoder(table, random_context(DIM, np.random.default_rng(2)))
    rows = embed_tokens(encoder, TOKENS)
    np.testing.assert_array_equal(rows, table.embed_tokens(TOKENS))
    np.testing.assert_allclose(
        combine_tokens(encoder, rows), encoder.encode(" ".join(TOKENS)), atol=1e-6
    )


def test_a_combined_encoder_embeds_known_words_by_its_table_and_others_by_characters() -> None:
    table = make_table(ngrams=False)
    network = CharNetwork(dim=DIM, char_dim=4, hidden=4, mlp=5)
    characters = random_network(
        network, CharVocabulary(" abcdefghijklmnopqrstuvwxyz", 16), np.random.default_rng(1)
    )
    encoder = CombinedEncoder(table, characters)
    rows = embed_tokens(encoder, ["lamp", "lmap", "🙂"])
    assert rows.shape == (2, DIM)
    np.testing.assert_array_equal(rows[:1], table.embed_tokens(["lamp"]))
    np.testing.assert_array_equal(rows[1:], embed_tokens(characters, ["lmap", "🙂"]))
    with pytest.raises(PocketIntentError, match="kind 'combined' cannot be adapted"):
        combine_tokens(encoder, rows)
