"""Readers beside an editor, under ThreadSanitizer where the compiler has it."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.robustness.core.building import CORE, NoCompilerError, compile_core, find_compiler
from pocketintent import IntentRecognizer
from shared_fixtures import EXPORTED_TEMPLATES

FLAGS = ("-O0", "-g1", "-pthread", "-fsanitize=thread")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("threads") / "threads"
    probe = path.with_name("probe.c")
    probe.write_text("int main(void) { return 0; }\n")
    try:
        compiler = find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))
    try:
        compile_core(probe, path, *FLAGS)
        subprocess.run([path], check=True, capture_output=True)
    except (RuntimeError, OSError, subprocess.CalledProcessError):
        pytest.skip(f"{compiler[0]} has no ThreadSanitizer that runs here")
    return compile_core(CORE / "tests" / "threads.c", path, *FLAGS)


@pytest.mark.parametrize("kind", ["contextual", "transformer"])
def test_eight_readers_beside_edits_have_no_race(
    program: Path, exportable_models: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(EXPORTED_TEMPLATES, exportable_models[kind]).save(path)
    options = {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66"}
    run = subprocess.run(
        [program, path], env=os.environ | options, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    matches = re.fullmatch(r"(\d+) matches, 6 edits\n", run.stdout)
    assert matches is not None
    assert int(matches[1]) >= 8 * 6 * 12
