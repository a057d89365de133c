import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.terms import Term, load_terms
from pocketintent_lab.training.terms.files import save_terms

words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=6)


phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(
    st.dictionaries(phrases, st.tuples(st.floats(0, 1e6), st.integers(1, 10**9)), max_size=8).map(
        lambda terms: [Term(term, *values) for term, values in terms.items()]
    )
)
def test_saved_terms_are_loaded_unchanged(
    tmp_path_factory: pytest.TempPathFactory, terms: list[Term]
) -> None:
    path = tmp_path_factory.mktemp("terms") / "terms.tsv"
    save_terms(path, terms)
    loaded = load_terms(path)
    assert [(t.term, t.count) for t in loaded] == [(t.term, t.count) for t in terms]
    assert [t.score for t in loaded] == pytest.approx([t.score for t in terms], rel=1e-5)


def test_a_file_is_packed_by_its_name_and_unpacked_by_its_content(tmp_path: Path) -> None:
    plain, packed, renamed = (tmp_path / name for name in ("a.tsv", "a.tsv.gz", "b.tsv"))
    terms = [Term("a b", 1.0, 2), Term("c d", 0.5, 1)]
    save_terms(plain, terms)
    save_terms(packed, terms)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    renamed.write_bytes(packed.read_bytes())
    assert load_terms(packed) == load_terms(renamed) == terms
    packed.write_bytes(packed.read_bytes()[:-4])
    with pytest.raises(PocketIntentError, match=r"a\.tsv\.gz: broken gzip"):
        load_terms(packed)
