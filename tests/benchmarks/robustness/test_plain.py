"""Short runs of the comparisons with ``pocketintent/plain``, where Node and its packages are."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.robustness.core.asking import Case, Reply, ask
from benchmarks.robustness.core.blocks import Block
from benchmarks.robustness.core.building import NoCompilerError, compile_answers, find_compiler
from benchmarks.robustness.plain_files import check_block as check_files
from benchmarks.robustness.plain_files import judge_plain
from benchmarks.robustness.plain_texts import PLAIN, check_block
from pocketintent import IntentRecognizer

WEB = PLAIN.parents[2]


@pytest.fixture(autouse=True)
def _needs_node() -> None:
    has_packages = (WEB / "node_modules" / "esbuild").exists()
    if shutil.which("node") is None or not has_packages:
        pytest.skip("no Node, or no packages of sdk/web: `make web` gets them")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.safetensors"
    IntentRecognizer.load("smart_home", "tiny").save(path)
    return path


def _data(folder: Path) -> Path:
    (folder / "intents" / "set").mkdir(parents=True)
    texts = ["turn on the lights in the kitchen", "what is the weather", "dim the lamp please"]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (folder / "intents" / "set" / "test.jsonl").write_text(lines, "utf-8")
    return folder


def test_texts_are_answered_as_by_the_core(bot: Path, tmp_path: Path) -> None:
    try:
        find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))
    program = compile_answers(tmp_path / "answers", "-O1")
    block = check_block(program, bot, _data(tmp_path / "data"), 400, 0)
    assert block == Block({"tiny, texts": 400}, [])  # type: ignore[arg-type]


def test_another_bot_answers_otherwise(bot: Path, tmp_path: Path) -> None:
    """So that the comparison is one."""
    other = tmp_path / "other.safetensors"
    IntentRecognizer.load("travel", "tiny").save(other)
    cases = [Case(path.read_bytes(), ["lamp off", "book a flight"]) for path in (bot, other)]
    replies, at_end = ask(["node", PLAIN], cases)
    assert at_end == ""
    assert replies[0].status == replies[1].status == "done"
    assert replies[0].answers != replies[1].answers


def test_mutated_files_are_refused_or_answered_as_by_python() -> None:
    block = check_files(0, 60, 0)
    assert block.failures == []
    assert sum(block.counts.values()) == 60
    assert block.counts["opened"] > 0


def test_a_file_that_python_opens_must_open(bot: Path, tmp_path: Path) -> None:
    reply = Reply("not a bot file, damaged or too new", "it is damaged", [])
    became, unequal = judge_plain(bot.read_bytes(), reply, tmp_path / "bot.safetensors")
    assert became == "failed"
    assert "Python opens it" in unequal


def test_the_tables_are_those_of_this_python() -> None:
    """The file for tests has a hash of the tokens of each code point, so that this is slow."""
    call = [sys.executable, str(WEB / "tools" / "plain_tables.py"), "--check"]
    assert subprocess.run(call, check=False).returncode == 0
