from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.cli.compare import parse_training
from pocketintent_lab.comparison.expansion import Work, expand
from pocketintent_lab.comparison.plan import Plan
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.tasks import TrainTask

ReadPlan = Callable[..., Plan]


def work_of(plan: Plan) -> Work:
    return expand(plan, parse_training)


def places(work: Work, algorithm: str, seed: int = 0) -> list[tuple[str, int | None, float, bool]]:
    return [
        (point.train.corpus.name, point.epochs, point.train.share, point.is_main)
        for point in work.points
        if point.algorithm.name == algorithm and point.train.seed == seed
    ]


def test_a_run_that_is_on_several_curves_is_made_once(plan_of: ReadPlan) -> None:
    work = work_of(plan_of())
    # 3 epochs are those of the plan's options, and 100% is the whole corpus.
    assert places(work, "CBOW") == [
        ("chats", 3, 100, True),
        ("chats", 1, 100, False),
        ("chats", 3, 50, False),
        ("sts", 3, 100, True),
    ]
    assert places(work, "own", seed=1) == [("chats", 8, 100, True), ("chats", 8, 50, False)]
    keys = [task.key for task in work.tasks]
    assert len(set(keys)) == len(keys)


def test_main_runs_come_first_and_models_before_their_measurements(plan_of: ReadPlan) -> None:
    tasks = work_of(plan_of()).tasks
    position = {task.key: number for number, task in enumerate(tasks)}
    for task in tasks:
        assert all(position[model.key] < position[task.key] for model in task.needs)
    labels = [task.label for task in tasks]
    quantised = next(i for i, label in enumerate(labels) if label.startswith("quantise, rotated"))
    assert quantised < labels.index("train CBOW, chats 50%, seed 0")
    assert labels.index("train own, chats, seed 1") < quantised


def test_the_curves_of_all_algorithms_grow_side_by_side(plan_of: ReadPlan) -> None:
    tasks = work_of(plan_of(("seeds = [0, 1]", "seeds = [0]"))).tasks
    labels = [task.label for task in tasks if isinstance(task, TrainTask)]
    assert labels[3:] == [
        "train CBOW, epochs: 1, chats, seed 0",
        "train own, chats 50%, seed 0",
        "train CBOW, chats 50%, seed 0",
    ]


def test_only_main_runs_are_measured_on_intents_and_time(plan_of: ReadPlan) -> None:
    for point in work_of(plan_of()).points:
        assert (point.encode is not None) == bool(point.intents) == point.is_main


def keys(plan: Plan) -> list[str]:
    return [point.train.key for point in work_of(plan).points]


def test_a_key_is_that_of_the_values_and_not_of_the_words(plan_of: ReadPlan) -> None:
    before = keys(plan_of())
    assert keys(plan_of(("min-count = 1", "min-count = 1, dim = 200"))) == before  # the default
    assert keys(plan_of(('name = "own"', 'name = "mine"'), ('= "own"', '= "mine"'))) == before
    changed = keys(plan_of(("min-count = 1", "min-count = 2")))
    assert [a == b for a, b in zip(changed, before, strict=True)] == (
        [point.algorithm.name == "own" for point in work_of(plan_of()).points]
    )


def test_a_key_depends_on_the_content_of_the_corpus(plan_of: ReadPlan, folder: Path) -> None:
    before = keys(plan_of())
    (folder / "chats.txt").write_text("other texts\n")
    pairs = zip(keys(plan_of()), before, work_of(plan_of()).points, strict=True)
    assert all((new == old) == (point.train.corpus.name == "sts") for new, old, point in pairs)


def test_options_become_words(plan_of: ReadPlan, tmp_path: Path) -> None:
    options = 'loss = "hierarchical", negatives = 3, language = ["en"], dim = 4'
    plan = plan_of(("epochs = 3, min-count = 1", options))
    train = work_of(plan).points[0].train
    assert train.command(["c.txt"], "m.safetensors", Store(tmp_path)) == [
        *("train", "words", "--corpus", "c.txt", "--out", "m.safetensors"),
        *("--loss", "hierarchical", "--negatives", "3", "--language", "en", "--dim", "4"),
        *("--seed", "0"),
    ]


def test_switches_are_turned_on_and_off(plan_of: ReadPlan) -> None:
    star = ('train = "sent2vec"', 'train = "starspace"\noptions = {share-sides = false}')
    (point, *_) = [p for p in work_of(plan_of(star)).points if p.algorithm.name == "own"]
    assert "--no-share-sides" in point.train.options
    assert point.train.settings["share_sides"] is False


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("min-count = 1", "min-cuont = 1", "'CBOW': unrecognized arguments: --min-cuont 1"),
        ("min-count = 1", "min-count = 0", "argument --min-count: must be at least 1, not 0"),
        ("min-count = 1", 'out = "x"', "options.out: the comparison gives this option itself"),
        ("min-count = 1", "seed = 1", "options.seed: the comparison gives"),
        ('"sent2vec"', '"word3vec"', "'own': there is no command 'word3vec'"),
    ],
)
def test_a_command_that_refuses_its_options_is_named(
    plan_of: ReadPlan, old: str, new: str, message: str
) -> None:
    with pytest.raises(PocketIntentError) as error:
        work_of(plan_of((old, new)))
    assert message in str(error.value)
    assert "plan.toml: algorithms[" in str(error.value)


def parse_any(words: Sequence[str]) -> Mapping[str, Any]:
    """A command with any options, one of which has files of its own."""
    values: dict[str, Any] = {"pairs": [], "seed": words[words.index("--seed") + 1]}
    if "--vectors" in words:
        values["vectors"] = Path(words[words.index("--vectors") + 1])
    return values


def test_a_new_method_needs_no_line_here(plan_of: ReadPlan, folder: Path, tmp_path: Path) -> None:
    own = 'train = "new"\ncorpus-option = "pairs"\noptions = {vectors = {file = "pairs.jsonl"}}'
    plan = plan_of(('train = "sent2vec"', own), ('corpora = ["chats"]\nepochs', "epochs"))
    points = [p for p in expand(plan, parse_any).points if p.algorithm.name == "own"]
    train = points[0].train
    command = train.command(["c.txt"], "m.safetensors", Store(tmp_path))
    assert command[:4] == ["train", "new", "--pairs", "c.txt"]
    assert command[6:8] == ["--vectors", str(folder / "pairs.jsonl")]
    (folder / "pairs.jsonl").write_text("{}")
    again = [p for p in expand(plan, parse_any).points if p.algorithm.name == "own"]
    assert again[0].train.key != train.key  # the content of the file is part of the key


def test_a_run_may_read_the_model_of_another(plan_of: ReadPlan, tmp_path: Path) -> None:
    own = 'train = "new"\noptions = {vectors = {model = "CBOW", corpus = "sts"}}'
    work = expand(plan_of(('train = "sent2vec"', own)), parse_training_or_any)
    train = next(p.train for p in work.points if p.algorithm.name == "own")
    (model,) = train.needs
    assert model.label == "train CBOW, sts, seed 0"
    store = Store(tmp_path)
    assert train.command([], "out", store)[-2:] == ["--vectors", str(store.model(model.key))]
    other = plan_of(('train = "sent2vec"', own), ("min-count = 1", "min-count = 1, dim = 9"))
    changed = next(
        p.train for p in expand(other, parse_training_or_any).points if p.algorithm.name == "own"
    )
    assert changed.key != train.key


def parse_training_or_any(words: Sequence[str]) -> Mapping[str, Any]:
    return parse_any(words) if words[1] == "new" else parse_training(words)
