import re
import subprocess
import sys
from pathlib import Path

import pytest

import pocketintent

HEAVY = {
    "torch",
    "nltk",
    "sklearn",
    "scipy",
    "matplotlib",
    "tqdm",
    "pandas",
    "onnx",
    "onnxruntime",
    "tensorflow",
    "transformers",
    "prompt_toolkit",
    "gensim",
    "yake",
    "litert_torch",
    "ai_edge_litert",
    "tflite_runtime",
    "pocketintent_export",
}
OTHER_SIDES = {f"pocketintent.{side}" for side in ("training", "compression", "evaluation", "cli")}

MOST_IMPORTED = 60
"""Modules of ours that load and match with the default model import."""

IMPORT = "import pocketintent"
SHIPPED_MATCH = """
from pocketintent import IntentRecognizer
recognizer = IntentRecognizer.load(templates="smart_home")
assert recognizer.match("please turn the lights on").intent == "lights_on"
"""
MATCH = """
from pocketintent import IntentRecognizer
recognizer = IntentRecognizer.load(templates={templates!r}, model={model!r})
assert recognizer.match("please turn the lights on").intent == "lights_on"
recognizer.add_intent("food", ["order a pizza"])
assert recognizer.rank("hungry pizza", limit=1)[0].intent == "food"
"""
COMMAND = """
import contextlib, io
from pocketintent.cli.main import build_parser, main
build_parser()
for argv in (["--help"], ["train", "--help"], ["evaluate", "--help"], ["templates", "--help"]):
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
        main(argv)
    assert "usage: pocketintent" in text.getvalue()
"""
SUBCOMMAND = """
import contextlib, io
from pocketintent.cli.main import main
with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
    main({argv!r})
assert "usage: pocketintent" in text.getvalue()
"""
TESTED = """
import contextlib, io
from pocketintent.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main({argv!r}) == 0
"""


def _loaded_modules(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    paths = [path for path in sys.path if path]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{script}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def _top_level(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def test_import_loads_the_runtime_alone() -> None:
    modules = _loaded_modules(IMPORT)
    assert not _top_level(modules) & HEAVY
    assert not modules & OTHER_SIDES


def test_a_match_and_an_edit_load_the_runtime_alone(tiny_model: Path) -> None:
    templates = {"lights_on": ["turn on the light"], "lights_off": ["turn off the light"]}
    modules = _loaded_modules(MATCH.format(templates=templates, model=str(tiny_model)))
    assert not _top_level(modules) & HEAVY
    assert not modules & OTHER_SIDES


def test_a_match_with_the_default_model_loads_the_runtime_alone() -> None:
    modules = _loaded_modules(MATCH.format(templates="smart_home", model=None))
    assert not _top_level(modules) & HEAVY
    assert not modules & OTHER_SIDES


def test_a_match_of_a_shipped_model_imports_few_modules() -> None:
    modules = _loaded_modules(SHIPPED_MATCH)
    ours = [module for module in modules if _top_level({module}) == {"pocketintent"}]
    assert len(ours) <= MOST_IMPORTED, sorted(ours)


def test_the_help_of_the_command_loads_the_runtime_and_the_command_alone() -> None:
    modules = _loaded_modules(COMMAND)
    assert not _top_level(modules) & HEAVY
    assert not modules & (OTHER_SIDES - {"pocketintent.cli"})


@pytest.mark.parametrize(
    "argv",
    [
        ["train", "starspace"],
        ["compress"],
        ["evaluate", "intents"],
        ["templates", "test"],
        ["data", "fetch"],
    ],
)
def test_the_help_of_a_subcommand_loads_nothing_heavy(argv: list[str]) -> None:
    modules = _loaded_modules(SUBCOMMAND.format(argv=[*argv, "--help"]))
    assert not _top_level(modules) & HEAVY


def test_a_test_of_a_bot_loads_nothing_heavy(tiny_model: Path, tmp_path: Path) -> None:
    bot, utterances = tmp_path / "bot.json", tmp_path / "utterances.csv"
    bot.write_text('{"on": ["lamp on"], "off": ["lamp off"]}')
    utterances.write_text("light on,on\nlight off,on\npizza,\n")
    argv = ["templates", "test", str(bot), str(utterances), "--model", str(tiny_model)]
    modules = _loaded_modules(TESTED.format(argv=argv))
    assert "pocketintent.bot.report" in modules
    assert not _top_level(modules) & HEAVY


def test_the_guard_sees_a_heavy_module() -> None:
    pytest.importorskip("scipy")
    assert _top_level(_loaded_modules("import scipy")) & HEAVY


def test_the_runtime_names_no_package_that_stands_on_it() -> None:
    """Not even as a string, which the import contracts cannot see."""
    runtime = Path(pocketintent.__file__).parent / "runtime"
    above = re.compile(r"pocketintent_(export|lab|demo)")
    named = [path for path in runtime.rglob("*.py") if above.search(path.read_text("utf-8"))]
    assert named == []
