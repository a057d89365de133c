from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.store import Store, key_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_key_depends_on_all_of_its_content_and_not_on_its_order() -> None:
    keys = [key_of(a=1, b=2), key_of(a=1, b=3), key_of(a=1), key_of(a=1, b="2")]
    assert len(set(keys)) == 4
    assert key_of(b=2, a=1) == keys[0]


def test_another_version_of_the_results_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(a=1)
    monkeypatch.setattr("pocketintent_lab.comparison.store.RESULT_FORMAT", 99)
    assert key_of(a=1) != before


def test_a_result_is_kept_until_it_is_forgotten(store: Store) -> None:
    assert store.result("key") is None
    store.save("key", {"outcome": 1})
    assert Store(store.folder).result("key") == {"outcome": 1}
    store.forget("key")
    assert store.result("key") is None


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_damaged_result_is_named(store: Store, content: str) -> None:
    (store.folder / "results" / "key.json").write_text(content)
    with pytest.raises(PocketIntentError, match=r"key\.json is not a result.*remove it"):
        store.result("key")


def test_a_claim_excludes_others_until_the_block_ends(store: Store) -> None:
    other = Store(store.folder)
    with store.claimed("key") as claim:
        assert claim is not None
        with other.claimed("key") as second, other.claimed("another") as third:
            assert second is None
            assert third is not None
    with other.claimed("key") as claim:
        assert claim is not None


def test_the_claim_of_a_dead_process_is_free(store: Store) -> None:
    (store.folder / "claims" / "key.lock").touch()  # nobody locks it
    with store.claimed("key") as claim:
        assert claim is not None


def test_unfinished_work_is_kept_for_a_run_that_continues(store: Store) -> None:
    (store.work("key", clean=True) / "half").touch()
    assert (store.work("key", clean=False) / "half").exists()
    assert not (store.work("key", clean=True) / "half").exists()
    store.end_work("key")
    assert not (store.folder / "work" / "key").exists()
