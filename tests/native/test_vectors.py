"""The C core passes the test vectors of the specifications, and equals Python beyond them."""

import random
import sys
import unicodedata

import pytest

from native_core import Core, alphabet_of
from native_texts import vectors
from pocketintent.runtime.text.characters import CharVocabulary, normalise_chars
from pocketintent.runtime.text.correction import KEPT_WORDS, Corrector
from pocketintent.runtime.text.ngram_counts import count_ngrams
from pocketintent.runtime.text.ngrams import ngram_hashes
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import LostWords, Vocabulary
from pocketintent.runtime.text.word_pieces import WordPieces


def same_unicode(core: Core) -> bool:
    version: str = core.lib.pintent_unicode_version().decode()
    return version == unicodedata.unidata_version


def test_the_tokenizer_passes_its_vectors(core: Core) -> None:
    for vector in vectors("tokenizer"):
        assert core.tokens(vector["text"]) == vector["tokens"]


def test_the_characters_pass_their_vectors(core: Core) -> None:
    for vector in vectors("charemb"):
        read, most = vector["read"], vector["max_chars"]
        known = "".join(sorted({*read, "#"}, reverse=True))
        numbers = core.spell(alphabet_of(map(ord, known)), vector["text"], most)
        assert "".join(known[number - 1] for number in numbers) == read
        assert not core.spell(alphabet_of([ord(" ")]), vector["text"], most)


def test_the_word_pieces_pass_their_vectors(core: Core) -> None:
    for vector in vectors("word_piece"):
        assert core.pieces(vector["vocabulary"], vector["text"]) == vector["tokens"]


def test_the_correction_passes_its_vectors(core: Core) -> None:
    read = 0
    for vector in vectors("correction"):
        kept = set(simple_tokenize(vector["text"])) & KEPT_WORDS
        if not kept <= set(vector.get("kept_words", ())):
            continue  # of folders of version 1, which have no kept words
        filters = [bytes.fromhex(digits) for digits in vector.get("filters", ())]
        read += 1
        tokens = core.read(vector["own_texts"], vector["vocabulary"], filters, vector["text"])
        assert tokens == vector["tokens"], vector["text"]
    assert read > 50


def test_the_ngrams_pass_their_vectors(core: Core) -> None:
    for vector in vectors("ngram"):
        hashes = [sorted(core.ngram_hashes(token, 2, 5)) for token in vector["tokens"]]
        assert hashes == [sorted(of_token) for of_token in vector["hashes"]]
        counts = core.ngram_counts(vector["text"])
        assert [[n, c] for n, c in enumerate(counts) if c] == vector["counts"]


def test_the_negation_vectors_have_the_tokens_of_the_core(core: Core) -> None:
    for vector in vectors("negation"):
        assert core.tokens(vector["text"]) == vector["tokens"]


def every_block() -> list[str]:
    """Each code point, between letters, marks and apostrophes, in texts of a few hundred."""
    points = [chr(point) for point in range(sys.maxunicode + 1)]
    texts = []
    for start in range(0, len(points), 200):
        block = points[start : start + 200]
        texts += ["".join(block), "x".join(block), "A\u0301".join(block), " 'Σ".join(block)]
    return texts


def test_every_code_point_is_read_as_in_python(core: Core) -> None:
    if not same_unicode(core):
        pytest.skip("the tables are of another version of Unicode than this Python")
    wrong = [text for text in every_block() if core.tokens(text) != simple_tokenize(text)]
    assert not wrong, ascii(wrong[0][:20])


def test_every_code_point_is_spelled_as_in_python(core: Core) -> None:
    if not same_unicode(core):
        pytest.skip("the tables are of another version of Unicode than this Python")
    alphabet = alphabet_of(range(sys.maxunicode + 1))
    rng = random.Random(3)
    texts = [
        *every_block()[::2],
        "ﷺ" * 5000,
        "İ" * 4200,
        "a_ \u00a0" * 2000,
        "x" * 5000,
        "_ \0",
        "",
    ]
    texts += ["".join(rng.sample("aZ_ \u200d\u00a0'’Σßﬁ\u0301🙂-", 9)) for _ in range(500)]
    for text in texts:
        most = rng.choice([1, 2, 5, 24, 400, 10**9])
        expected = normalise_chars(text, most)
        spelled = core.spell(alphabet, text, most)
        assert "".join(chr(number - 1) for number in spelled) == expected, ascii(text[:20])


def test_random_alphabets_spell_as_in_python(core: Core) -> None:
    rng = random.Random(4)
    for _ in range(500):
        characters = rng.sample("abc _'é漢🙂", rng.randrange(9))
        text = "".join(rng.choices("abcA_ é漢🙂\0zß", k=rng.randrange(20)))
        most = rng.randrange(1, 12)
        expected = CharVocabulary("".join(characters), most).numbers(text)
        spelled = core.spell(alphabet_of(map(ord, characters)), text, most)
        assert spelled == expected, (characters, text, most)


def test_mixed_texts_are_read_as_in_python(core: Core) -> None:
    if not same_unicode(core):
        pytest.skip("the tables are of another version of Unicode than this Python")
    rng = random.Random(0)
    marks = [chr(n) for n in range(sys.maxunicode) if unicodedata.combining(chr(n))]
    odd = "aZéΣσς'’`´ʼİIıﬁ½㍿ﷺ각ᄀ각ᆨ가\u0344\ud800\u200d 0９٣あ漢🙂+\x00"
    pairs = [unicodedata.decomposition(chr(n)) for n in range(sys.maxunicode)]
    parts = [chr(int(p, 16)) for d in pairs if d and "<" not in d for p in d.split()]
    for _ in range(3000):
        pool = rng.choice([odd, odd + "".join(rng.sample(marks, 30)), rng.sample(parts, 60), marks])
        text = "".join(rng.choices(list(pool), k=rng.randrange(1, 60)))
        assert core.tokens(text) == simple_tokenize(text), ascii(text)
    for text in ("ﷺ" * 5000, "㌖" * 5000, "a\u0301" * 5000, "\u0300\u0323" * 3000, "İ" * 4200):
        assert core.tokens(text) == simple_tokenize(text)


def test_the_normal_form_of_neighbours_is_that_of_python(core: Core) -> None:
    """Whether a code point stays as it is depends on the next one, so many pairs are tried."""
    if not same_unicode(core):
        pytest.skip("the tables are of another version of Unicode")
    rng = random.Random(11)
    points = [chr(n) for n in range(sys.maxunicode) if not 0xD800 <= n < 0xE000]
    changed = [char for char in points if unicodedata.normalize("NFKD", char) != char]
    marks = [char for char in points if unicodedata.combining(char)]
    joined = [unicodedata.decomposition(char).split()[-1:] for char in changed]
    seconds = sorted({chr(int(last, 16)) for [last] in filter(None, joined)})
    hangul = list(map(chr, range(0x1100, 0x1200))) + rng.sample(changed, 200)
    for char in rng.sample(changed, 3000):
        behind = [*rng.sample(marks, 3), *rng.sample(seconds, 3), *rng.sample(hangul, 2)]
        text = " ".join(f"{char}{other} {other}{char}e{other}" for other in behind)
        assert core.tokens(text) == simple_tokenize(text), ascii(text)


def test_random_words_are_split_and_hashed_as_in_python(core: Core) -> None:
    rng = random.Random(1)
    for _ in range(200):
        pieces = {"".join(rng.choices("ab", k=rng.randrange(1, 5))) for _ in range(6)}
        pieces |= {"##" + "".join(rng.choices("abé", k=rng.randrange(1, 5))) for _ in range(6)}
        vocabulary = Vocabulary(sorted(pieces))
        text = " ".join("".join(rng.choices("abéx", k=rng.randrange(1, 90))) for _ in range(4))
        assert core.pieces(vocabulary.words, text) == WordPieces(vocabulary)(simple_tokenize(text))
        word = "".join(rng.choices("aé漢🙂", k=rng.randrange(1, 12)))
        least, most = sorted(rng.choices(range(1, 8), k=2))
        hashes = ngram_hashes(f"<{word}>", min(least, len(word) + 2), most).tolist()
        assert sorted(core.ngram_hashes(word, least, most)) == sorted(hashes)
        assert core.ngram_counts(text) == count_ngrams(text).tolist()


def test_random_texts_are_corrected_as_in_python(core: Core) -> None:
    rng = random.Random(2)

    def word() -> str:
        return "".join(rng.choices("abc", k=rng.randrange(1, 6)))

    for _ in range(300):
        own = [" ".join(word() for _ in range(4)) for _ in range(3)]
        words = sorted({word() for _ in range(12)}, key=lambda _: rng.random())
        lost = LostWords().with_words({word() for _ in range(5)})
        read = Corrector(own, Vocabulary(words, lost))
        text = " ".join([word() for _ in range(rng.randrange(1, 80))] + ["Éa", "don't", "ｊ`"])
        filters = list(lost.filters)
        assert core.read(own, words, filters, text) == simple_tokenize(read(text))
