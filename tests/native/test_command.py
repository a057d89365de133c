"""The command ``pocketintent-native`` prints what ``pocketintent match`` prints."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from native_building import CORE, compile_c
from pocketintent import IntentRecognizer, __version__

TEXTS = ["turn on the lamp", "swich the lihgt of", "", 'a "quoted" \\ \t text', "Ünïcode 🙂 漢字"]
LINES = b"\xef\xbb\xbflights on\r\n\nbad\xff\xe2\x82x \xf0\x9f\x98\r\r\n\xed\xa0\x80 \xc0\x80\nlast"


@pytest.fixture(scope="module")
def bot_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bot") / "bot.safetensors"
    IntentRecognizer.load("smart_home", "tiny").save(path)
    return path


def run(*call: object, given: bytes = b"", status: int = 0) -> list[bytes]:
    done = subprocess.run(
        [str(c) if not isinstance(c, bytes) else c for c in call],
        input=given,
        capture_output=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout.split(b"\n") if status == 0 else [done.stderr]


def without_scores(value: Any) -> Any:
    """A decoded line with its numbers rounded to the tolerance of scores."""
    if isinstance(value, dict):
        return {key: without_scores(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_scores(each) for each in value]
    return pytest.approx(value, abs=1e-5) if isinstance(value, float) else value


def assert_same_lines(ours: list[bytes], theirs: list[bytes]) -> None:
    assert len(ours) == len(theirs)
    for mine, other in zip(ours[:-1], theirs[:-1], strict=True):
        found, expected = json.loads(mine), json.loads(other)
        assert found == without_scores(expected)
        assert list(found) == list(expected)
        prefix = json.dumps({"text": expected["text"]}, ensure_ascii=False, separators=(",", ":"))
        assert mine.startswith(prefix[:-1].encode())


def test_lines_are_those_of_python(command: Path, bot_file: Path) -> None:
    python = sys.executable, "-m", "pocketintent", "match", "--templates", bot_file, "--rank", "3"
    arguments = [*(text.encode() for text in TEXTS), b"bad\xff\xe2\x82x"]
    theirs = run(*python, *arguments)
    assert_same_lines(run(command, "--rank", "3", bot_file, *arguments), theirs)
    assert_same_lines(run(command, "--rank", "3", bot_file, given=LINES), run(*python, given=LINES))


def test_wrong_calls(command: Path, bot_file: Path, tmp_path: Path) -> None:
    assert b"BOT is missing" in run(command, status=2)[0]
    for wrong in (["--rank"], ["--rank", "0", bot_file], ["--rank", "-1", bot_file], ["--x"]):
        run(command, *wrong, status=2)
    assert b"no such model file" in run(command, tmp_path / "none", "x", status=1)[0]
    assert __version__.encode() in run(command, "--version")[0]
    assert run(command, "--help")[0].startswith(b"usage")
    assert run(command, bot_file, given=b"") == [b""]


def test_the_program_of_the_documentation(bot_file: Path, tmp_path: Path) -> None:
    page = (CORE.parents[1] / "docs" / "native.md").read_text("utf-8")
    code = page.split("```c\n")[1].split("```")[0]
    library = f'#include "{CORE / "pocketintent.c"}"\n'
    source = tmp_path / "my_app.c"
    header = f'"{CORE / "include" / "pocketintent.h"}"'
    source.write_text(library + code.replace("<pocketintent.h>", header))
    program = compile_c(source, tmp_path / "my_app", "-O1")
    assert run(program, bot_file, "lights on")[0].startswith(b"lights_on 0.")
