from collections.abc import Callable
from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.plan import Plan, read_plan

ReadPlan = Callable[..., Plan]


def test_a_plan_is_read_with_paths_from_its_own_folder(plan_of: ReadPlan, folder: Path) -> None:
    plan = plan_of()
    assert plan.seeds == (0, 1)
    assert plan.corpora["chats"].files == (folder / "chats.txt",)
    assert plan.corpora["sts"].pairs == (folder / "pairs.jsonl",)
    assert plan.measures.encode == (plan.measures.sts,)
    assert plan.algorithms["CBOW"].corpora == ("chats", "sts")
    assert plan.algorithms["CBOW"].epochs == (1, 3)
    assert plan.algorithms["own"].epochs == ()
    assert plan.algorithms["own"].shares == (50, 100)
    assert plan.compression is not None and plan.compression.keep == (2, 5)
    assert plan.compression.sample == 20_000


def test_without_its_table_nothing_is_compressed(plan_of: ReadPlan, folder: Path) -> None:
    content = (folder / "plan.toml").read_text().partition("[compression]")[0]
    (folder / "plan.toml").write_text(content)
    assert read_plan(folder / "plan.toml").compression is None


def test_paths_can_be_relative_to_another_folder(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "plan.toml"
    moved.write_bytes((folder / "plan.toml").read_bytes())
    assert read_plan(moved, folder).measures.sts == folder / "pairs.jsonl"
    with pytest.raises(PocketIntentError, match=r"corpora.chats.files\[1\]: there is no .*--data"):
        read_plan(moved)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds =", "seed =", "seed: unknown key; did you mean 'seeds'"),
        ("sub-dims =", "sub_dims =", "compression.sub_dims: unknown key; did you mean 'sub-dims'"),
        ("shares =", "zzz =", "curves.zzz: unknown key; known keys: epochs, shares, corpora"),
        ('train = "sent2vec"\n', "", r"algorithms\[2\].train is missing"),
        ('sts = "pairs', 'encode = "pairs', "measure.sts is missing|encode must be a list"),
        ("seeds = [0, 1]", "seeds = [0, -1]", r"seeds\[2\] must be a whole number from 0"),
        ("seeds = [0, 1]", "seeds = [0, true]", r"seeds\[2\] must be a whole number"),
        ("seeds = [0, 1]", "seeds = [1, 1]", "seeds has a value twice"),
        ("[50, 100]", "[0]", r"shares\[1\] must be a number above 0 and at most 100, not 0"),
        ("[50, 100]", "[nan]", r"shares\[1\] must be a number above 0"),
        ("shots = [1]", "shots = 1", "measure.shots must be a list, not 1"),
        ('["nearest"]', '["farthest"]', r"decisions\[1\] must be one of logistic"),
        ('name = "own"', 'name = "CBOW"', r"algorithms\[2\].name: 'CBOW' is there twice"),
        ('algorithm = "own"', 'algorithm = "OWN"', "compression.algorithm must be one of CBOW"),
        ('corpus = "chats"', 'corpus = "sts"', "compression.corpus must be one of chats"),
        ('files = ["chats.txt"]', "", "corpora.chats.files: give either files or pairs"),
        ("min-count = 1", "min-count = {}", "options.min-count must be a number, a word"),
        ("min-count = 1", 'a = {model = "own", corpus = "chats"}', "options.a.model must be one"),
        ("options = {epochs = 3, min-count = 1}", "options = 3", "options must be a table"),
        ("[[algorithms]]", "[[algorithm]]", "algorithm: unknown key; did you mean 'algorithms'"),
        ("seeds = [0, 1]", "seeds = [0, 1", "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_the_file_and_the_key(
    plan_of: ReadPlan, old: str, new: str, message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message) as error:
        plan_of((old, new))
    assert "plan.toml: " in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "not UTF-8 at byte 0"),
        (b"", r"corpora: give a table \[corpora.NAME\]"),
        (b"corpora = 3", "corpora must be tables"),
        (b"algorithms = 3", "corpora: give"),
        (b"a" + b".a" * 20, "not valid TOML"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(content)
    with pytest.raises(PocketIntentError, match=message):
        read_plan(path)
