"""The training commands that a page shows, and the runs that they repeat."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pocketintent.evaluation.similarity.sts import title_of_pairs
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent_lab.cli.compare import parse_training
from pocketintent_lab.comparison.commands import training_command
from pocketintent_lab.comparison.expansion import Point, expand
from pocketintent_lab.comparison.plan import Plan, read_plan
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.worker import run_tasks

ReadPlan = Callable[..., Plan]


def point_of(plan: Plan, algorithm: str, corpus: str, share: float = 100) -> Point:
    points = expand(plan, parse_training).points
    return next(
        point
        for point in points
        if (point.algorithm.name, point.train.corpus.name, point.train.share)
        == (algorithm, corpus, share)
    )


def test_a_whole_corpus_is_named_by_its_files_below_the_data(
    plan_of: ReadPlan, folder: Path
) -> None:
    (folder / "my texts").mkdir()
    for name in ("a.txt", "b.txt.gz"):
        (folder / "my texts" / name).write_text("x")
    plan = plan_of(('"chats.txt"', '"my texts/a.txt", "my texts/b.txt.gz"'))
    point = point_of(plan, "CBOW", "chats")
    start = "pocketintent-lab train words --corpus 'my texts/a.txt' 'my texts/b.txt.gz' --out "
    end = f'"$OUT"/{point.train.key}.safetensors --epochs 3 --min-count 1 --seed 0'
    assert training_command(point, plan.folder) == start + end


def test_samples_and_sentences_are_those_that_the_comparison_keeps(plan_of: ReadPlan) -> None:
    plan = plan_of()
    for point, name in (
        (point_of(plan, "CBOW", "chats", 50), "0-chats.txt"),
        (point_of(plan, "CBOW", "sts"), "0-sentences.txt"),
    ):
        path = f'--corpus "$OUT"/corpora/{point.train.corpus_key}/{name} --out'
        assert path in training_command(point, plan.folder)


def test_files_and_models_among_the_options_are_complete(plan_of: ReadPlan, folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "words.txt").write_text("2 1\na 1\nb 2\n")
    options = 'corpus-option = "pairs"\noptions = {vectors = '
    more = 'train = "infersent"\ncorpora = ["sts"]\n' + options
    file = '{file = "deep/words.txt"}}\n\n'
    model = '{model = "CBOW", corpus = "chats"}}\n\n'
    tables = "".join(
        f'[[algorithms]]\nname = "{name}"\n{more}{value}'
        for name, value in (("from file", file), ("from model", model))
    )
    plan = plan_of(("[compression]", tables + "[compression]"))
    command = training_command(point_of(plan, "from file", "sts"), plan.folder)
    assert "--vectors deep/words.txt" in command and str(folder) not in command
    point = point_of(plan, "from model", "sts")
    model_key = point_of(plan, "CBOW", "chats").train.key
    assert f'--vectors "$OUT"/models/{model_key}.safetensors' in training_command(
        point, plan.folder
    )


def test_the_folder_of_the_paths_is_that_of_the_plan_or_the_data(
    plan_of: ReadPlan, folder: Path, tmp_path: Path
) -> None:
    assert plan_of().folder == folder
    elsewhere = tmp_path / "plan.toml"
    elsewhere.write_text((folder / "plan.toml").read_text())
    assert read_plan(elsewhere, folder).folder == folder


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("share", [100, 50])
def test_a_pasted_command_makes_the_model_of_the_run(
    plan_of: ReadPlan, folder: Path, tmp_path: Path, share: float
) -> None:
    pytest.importorskip("gensim")
    plan, store = plan_of(), Store(tmp_path / "an out")
    point = point_of(plan, "CBOW", "chats", share)
    run_tasks([point.train], store, print)
    _, _, words = training_command(point, plan.folder).partition(" ")
    environment = {**os.environ, "OUT": str(store.folder), "PYTHON": sys.executable}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = f'"$PYTHON" -m pocketintent {words}'
    subprocess.run(command, shell=True, cwd=folder, env=environment, check=True)
    texts = ["turn on the lamp", "music"]
    vectors = [
        load_encoder(path).encode_batch(texts)
        for path in (store.model(point.train.key), store.folder / f"{point.train.key}.safetensors")
    ]
    assert np.array_equal(*vectors) and vectors[0].any()


@pytest.mark.parametrize(
    ("path", "title"), [("data/sts/stsb/dev.jsonl", "STS-B dev"), ("own/dev.jsonl", "dev.jsonl")]
)
def test_scored_pairs_have_a_title(path: str, title: str) -> None:
    assert title_of_pairs(Path(path)) == title
