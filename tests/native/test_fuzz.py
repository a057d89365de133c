"""Short runs of the fuzzers and of the long comparisons of ``benchmarks/robustness``."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.robustness import core_files, core_texts
from benchmarks.robustness.core.asking import Case, ask
from benchmarks.robustness.core.blocks import Block, Report, finish
from benchmarks.robustness.core.building import SANITIZERS, NoCompilerError, compile_answers
from benchmarks.robustness.core_fuzz import NoFuzzerError, build_fuzzer, run_fuzzer
from pocketintent import IntentRecognizer
from shared_fixtures import MakeOnce

QUICK = ("-O0", "-g1")  # these take longer to compile than to run


@pytest.fixture(scope="module")
def answers(make_once: MakeOnce) -> Path:
    """The program that answers for the core, with sanitizers."""
    try:
        return make_once("answers", lambda path: compile_answers(path, *SANITIZERS, *QUICK))
    except NoCompilerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def fuzzer(make_once: MakeOnce) -> Path:
    try:
        return make_once("fuzz", lambda path: build_fuzzer(path, *QUICK))
    except NoFuzzerError as error:
        pytest.skip(f"no short run of the fuzzers: {error}")


@pytest.mark.parametrize(
    ("target", "runs"), [("bots", 200), ("texts", 400), ("edits", 50), ("sets", 120)]
)
def test_a_short_run_of_a_fuzzer_finds_nothing(
    fuzzer: Path, tmp_path: Path, target: str, runs: int
) -> None:
    status, inputs, output = run_fuzzer(fuzzer, target, tmp_path, runs, seed=1)
    assert status == 0, output
    assert inputs >= runs
    # Some of them led to more of the code, so that the changes get behind the first checks.
    assert len([*(tmp_path / f"corpus-{target}").iterdir()]) > 3


def test_a_fuzzer_says_what_it_finds(fuzzer: Path, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "48.safetensors").write_bytes(b"none")  # one more than there are
    status, _, output = run_fuzzer(fuzzer, "texts", tmp_path, 10, seed=1)
    assert status != 0
    assert "this does not hold: pintent_open" in output


def test_mutated_files_are_refused_by_both_or_answered_alike(answers: Path) -> None:
    block = core_files.check_block(answers, 10**7, 300, [], 0)
    assert not block.failures
    assert block.counts["refused by ModelFileError"] > 100
    assert block.counts["opened"] > 20


def test_a_file_of_a_fuzzer_is_compared(answers: Path, tmp_path: Path) -> None:
    files = [tmp_path / "good", tmp_path / "bad"]
    templates = {"on": ["lamp on"], "off": ["lamp off"]}
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load(templates, "tiny", decision="nearest").save(bot)
    files[0].write_bytes(bot.read_bytes())
    files[1].write_bytes(bot.read_bytes()[:-1])
    block = core_files.check_block(answers, 0, 2, files, 0)
    assert not block.failures
    assert block.counts == {"opened": 1, "refused by ModelFileError": 1}


def test_a_difference_is_found(answers: Path, tmp_path: Path) -> None:
    """The answers of another bot differ, and a file that only one side opens is a failure."""
    on, off, path = tmp_path / "on.safetensors", tmp_path / "off.safetensors", tmp_path / "path"
    IntentRecognizer.load({"on": ["turn on the light"], "x": ["music"]}, "tiny").save(on)
    IntentRecognizer.load({"off": ["turn on the light"], "x": ["play"]}, "tiny").save(off)
    cases = [Case(path.read_bytes(), core_files.TEXTS) for path in (on, off)]
    replies, at_end = ask([answers], [*cases, Case(b"x", [])])
    assert at_end == ""
    assert core_files.judge(on.read_bytes(), replies[0], path) == ("opened", "")
    became, words = core_files.judge(on.read_bytes(), replies[1], path)
    assert became == "failed"
    assert "'turn on the light': " in words and "nearest" in words and "score" in words
    assert "Python opens it" in core_files.judge(on.read_bytes(), replies[2], path)[1]
    assert "core: done" in core_files.judge(b"{", replies[0], path)[1]


def test_a_crash_is_told_and_the_rest_is_answered(tmp_path: Path) -> None:
    program = tmp_path / "crashing.py"
    program.write_text(
        "import sys\n"
        "data = sys.stdin.buffer.read()\n"
        "for part in data.split(b'CASE')[1:]:\n"
        "    if part.startswith(b'bad'): sys.exit('it broke')\n"
        '    print(\'"plain"\\n{"status": "done", "message": ""}\\n[]\', flush=True)\n'
    )
    cases = [Case(b"CASE" + name, []) for name in (b"good", b"bad", b"good")]
    replies, at_end = ask([sys.executable, program], cases)
    assert [reply.status for reply in replies] == ["done", "", "done"]
    assert replies[1].message.strip() == "it broke"
    assert at_end == ""


def test_texts_of_all_sorts_are_answered_as_in_python(answers: Path, data_dir: Path) -> None:
    text = core_texts.Drawn(core_texts.read_texts(data_dir))
    assert len({text[number] for number in range(400)}) > 250
    assert any(re.search("[\u0400-\uffff]", text[number]) for number in range(400))
    path = answers.parent / "tiny.safetensors"
    core_texts.BOTS["tiny"]().save(path)
    block = core_texts.check_block(answers, path, data_dir, 200, 0)
    assert not block.failures
    assert block.counts == {"tiny, texts": 200}


def test_a_run_goes_on_where_another_ended(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, settings = tmp_path / "report", {"files": 5}
    report = Report(path, settings)
    assert finish(report, {}) == 0
    report.add(3, Block(Counter(opened=2), ["--seed 4: score"]))
    with path.open("a") as file:
        file.write('{"block": 4, "counts": {"opened": 1}')  # killed
    Report(path, settings).add(0, Block(Counter(opened=1), []))
    again = Report(path, settings)
    assert again.done == {0, 3} and again.counts == {"opened": 3}
    capfd.readouterr()
    assert finish(again, settings) == 1
    output = capfd.readouterr()
    assert json.loads(output.out) == {"files": 5, "opened": 3}
    assert output.err == "--seed 4: score\n"
    with pytest.raises(ValueError, match="another run"):
        Report(path, {"files": 6})
