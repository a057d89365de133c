"""Whether the core can be had, what is said where it cannot, and the package alone."""

import importlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import pocketintent
from native_package import forget
from pocketintent import IntentRecognizer, ModelFileError, PocketIntentError
from pocketintent.runtime.encoders.registry import _KINDS
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import MissingExtraError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.native.package import VERSION, describe_backend

TEMPLATES = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"]}
REPOSITORY = Path(__file__).resolve().parents[3]


def test_without_the_package_numpy_matches(tiny_model: Path) -> None:
    assert IntentRecognizer.load(TEMPLATES, tiny_model).backend == "numpy"
    assert describe_backend() == "numpy"


def test_without_the_package_native_is_refused_with_the_command(
    tiny_model: Path, tmp_path: Path
) -> None:
    command = re.escape('pip install "./sdk/native/python" in a checkout')
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, tiny_model).save(path)
    for arguments in ((TEMPLATES, tiny_model), (path,)):
        with pytest.raises(MissingExtraError, match=command):
            IntentRecognizer.load(*arguments, backend="native")  # type: ignore[arg-type]


class OddEncoder(StaticEncoder):
    """A kind that the core does not have."""

    kind = "odd"


@pytest.mark.usefixtures("native")
def test_a_kind_that_the_core_does_not_run_is_numpys(
    tiny_encoder: StaticEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_KINDS, "odd", OddEncoder)
    model, path = tmp_path / "model.safetensors", tmp_path / "bot.safetensors"
    encoder = OddEncoder(tiny_encoder.vocabulary, tiny_encoder.words)
    save_model(model, *encoder.to_model_file_parts())
    recognizer = IntentRecognizer.load(TEMPLATES, model)
    recognizer.save(path)
    assert recognizer.backend == IntentRecognizer.load(path).backend == "numpy"
    for arguments in ((TEMPLATES, model), (path,)):
        with pytest.raises(PocketIntentError, match="does not run models of kind 'odd'"):
            IntentRecognizer.load(*arguments, backend="native")  # type: ignore[arg-type]


@pytest.mark.usefixtures("native")
def test_damaged_files_are_refused_as_by_numpy(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, tiny_model).save(path)
    whole = path.read_bytes()
    for content in (whole[:-1], whole[:-9] + b"\xff" + whole[-8:], tiny_model.read_bytes()):
        path.write_bytes(content)
        messages = set()
        for backend in ("numpy", "native", "auto"):
            with pytest.raises(ModelFileError) as caught:
                IntentRecognizer.load(path, backend=backend)  # type: ignore[arg-type]
            messages.add(str(caught.value))
        assert len(messages) == 1


def test_another_version_does_not_fit(
    native: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = importlib.import_module("pocketintent_native")
    assert describe_backend() == "native"
    monkeypatch.setattr(package, "__version__", "9.8.7")
    assert IntentRecognizer.load(TEMPLATES, tiny_model).backend == "numpy"
    assert describe_backend().startswith("numpy; pocketintent-native 9.8.7 does not fit")
    with pytest.raises(MissingExtraError, match=r"9\.8\.7 does not fit pocketintent 0"):
        IntentRecognizer.load(TEMPLATES, tiny_model, backend="native")


@pytest.mark.parametrize("damage", ["missing", "no library", "other version"])
def test_a_library_that_cannot_be_loaded(
    native: Path, tiny_model: Path, tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "pocketintent_native"
    shutil.copytree(native / "pocketintent_native", copied)
    library = next(path for path in copied.iterdir() if path.suffix in (".so", ".dylib", ".dll"))
    init = copied / "__init__.py"
    if damage == "missing":
        library.unlink()
    elif damage == "no library":
        library.unlink()
        library.write_bytes(b"this is none")
    else:
        init.write_text(init.read_text().replace(f'"{pocketintent.__version__}"', '"9.8.7"'))
    forget(monkeypatch)
    monkeypatch.syspath_prepend(tmp_path)
    assert IntentRecognizer.load(TEMPLATES, tiny_model).backend == "numpy"
    with pytest.raises(MissingExtraError, match="backend native cannot be used: "):
        IntentRecognizer.load(TEMPLATES, tiny_model, backend="native")
    forget(monkeypatch)


def test_the_package_works_alone(native: Path, tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "bot.safetensors"
    recognizer = IntentRecognizer.load(TEMPLATES, tiny_model, backend="numpy")
    recognizer.save(path)
    package: Any = importlib.import_module("pocketintent_native")
    bot = package.NativeBot.open(path)
    assert bot.match("lamp off please").intent == "off"
    assert bot.rank("lamp off", limit=9)[0].intent == "off" and len(bot.rank("lamp", 1)) == 1
    assert (bot.intents, bot.thresholds) == (("on", "off"), (0.5, 0.5))
    assert (bot.kind, bot.decision, bot.read("lmap off")) == ("static", "logistic", "lamp off")
    assert bot.encode("lamp") == pytest.approx(recognizer.encoder.encode("lamp").tolist(), abs=1e-6)
    with pytest.raises(package.NativeError, match="there is no such model file"):
        package.NativeBot.open(tmp_path / "none")
    with pytest.raises(package.NativeError, match="there is no memory"):
        raise package.NativeError(2)


def test_the_package_edits_and_saves_alone(native: Path, tiny_model: Path, tmp_path: Path) -> None:
    path, saved = tmp_path / "bot.safetensors", tmp_path / "saved.safetensors"
    recognizer = IntentRecognizer.load(TEMPLATES, tiny_model, backend="numpy")
    recognizer.save(path)
    package: Any = importlib.import_module("pocketintent_native")
    bot = package.NativeBot.open(path)
    assert bot.to_bytes() == path.read_bytes()
    texts, refused = (text for text in ["warm light", "amber lamp"]), ["amber lamp cable"]
    edited = bot.add_intent("amber", texts, 0.25, refused).remove_intent("off")
    recognizer.add_intent("amber", ["warm light", "amber lamp"], 0.25, refused)
    recognizer.remove_intent("off")
    edited.save(saved)
    assert edited.to_bytes() == saved.read_bytes()
    assert (bot.intents, edited.intents) == (("on", "off"), ("on", "amber"))
    assert edited.thresholds == (0.5, 0.25)
    del bot
    again = IntentRecognizer.load(saved, backend="numpy")
    assert again.templates == recognizer.templates
    for text in ("amber lamp please", "lamp on", "amber lamp cable", "lamp off"):
        expected = recognizer.match(text)
        for found in (edited.match(text), again.match(text)):
            assert (found.intent, found.reason) == (expected.intent, expected.reason)
            assert found.score == pytest.approx(expected.score, abs=1e-4)
    for call in (
        lambda: edited.add_intent("new", []),
        lambda: edited.add_intent("on", ["  "]),
        lambda: edited.add_intent("on", ["lamp"], 2.0),
        lambda: edited.remove_intent("off"),
        lambda: edited.save(tmp_path),
    ):
        with pytest.raises(package.NativeError, match=r".{10}"):
            call()
    for call in (lambda: edited.add_intent("on", "lamp"), lambda: edited.remove_intent(3)):
        with pytest.raises(TypeError, match="must be a"):
            call()
    assert edited.match("lamp on").intent == "on"


def test_the_package_sets_templates_alone(native: Path, tiny_model: Path) -> None:
    package: Any = importlib.import_module("pocketintent_native")
    empty = package.NativeBot.open_model(tiny_model)
    assert (empty.intents, empty.match("lamp on").reason) == ((), "no_templates")
    texts = json.dumps(TEMPLATES)
    recognizer = IntentRecognizer.load(TEMPLATES, tiny_model, backend="numpy")
    for bot in (empty.set_templates(TEMPLATES), empty.set_templates(texts).set_templates(texts)):
        assert bot.templates == recognizer.templates.to_dict()
        assert bot.match("lamp on").score == pytest.approx(
            recognizer.match("lamp on").score, abs=1e-4
        )
    assert empty.templates["intents"] == {}
    with pytest.raises(package.NativeError, match="intent 'on' has no templates; write at least"):
        empty.set_templates({"on": []})
    with pytest.raises(package.NativeError, match="not JSON at line 1, column 2"):
        empty.set_templates("{on: 1}")
    with pytest.raises(package.NativeError, match="there is no such model file"):
        package.NativeBot.open_model(tiny_model.with_name("none"))


def test_the_versions_are_one() -> None:
    source = (REPOSITORY / "sdk/native/python/pocketintent_native/__init__.py").read_text()
    assert pocketintent.__version__ == VERSION
    assert f'__version__ = "{pocketintent.__version__}"' in source
    extra = f'native = ["pocketintent-native=={pocketintent.__version__}"]'
    assert extra in (REPOSITORY / "pyproject.toml").read_text()
