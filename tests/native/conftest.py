"""The C core, built once for all tests of it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from models.character_models import character_encoders
from native_building import COMMAND, HOOKS, compile_c
from native_core import Core
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model

MakeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def core(make_once: MakeOnce) -> Core:
    """The library with its test hooks."""

    def build(path: Path) -> None:
        compile_c(HOOKS, path, "-O2", "-shared", *([] if sys.platform == "win32" else ["-fPIC"]))

    return Core(make_once("native_core.so", build))


@pytest.fixture(scope="session")
def command(make_once: MakeOnce) -> Path:
    """The command ``pocketintent-native``."""
    return make_once("native_command", lambda path: compile_c(COMMAND, path, "-O2"))


@pytest.fixture(scope="session")
def small_models(
    exportable_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Model files of each kind, and of each way in which characters are read, by name."""
    table = load_encoder(exportable_models["static"])
    assert isinstance(table, StaticEncoder)
    folder, paths = tmp_path_factory.mktemp("small_models"), dict(exportable_models)
    for name, encoder in character_encoders(table).items():
        paths[name] = folder / f"{name}.safetensors"
        save_model(paths[name], *encoder.to_model_file_parts())
    return paths


@pytest.fixture
def lamp_path(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    """A bot file with the intents ``on`` and ``off``."""
    path = tmp_path / "lamp.safetensors"
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"]}
    IntentRecognizer.load(templates, exportable_models["contextual"]).save(path)
    return path
