"""The C core, built once for all tests of it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from native_core import COMMAND, HOOKS, Core, compile_c
from pocketintent import IntentRecognizer

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


@pytest.fixture
def lamp_path(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    """A bot file with the intents ``on`` and ``off``."""
    path = tmp_path / "lamp.safetensors"
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"]}
    IntentRecognizer.load(templates, exportable_models["contextual"]).save(path)
    return path
