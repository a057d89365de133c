"""The Kotlin library, built once for all tests of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from jvm_library import ANDROID, PROGRAM, TOOL, Library, compile_java, need_compilers, page_code
from pocketintent import IntentRecognizer

MakeOnce = Callable[[str, Callable[[Path], object]], Path]


def build(folder: Path) -> None:
    """Build the jar as the tool does, and what the tests run with it."""
    classes, program, android = folder / "library", folder / "program", folder / "android"
    folder.mkdir()
    for number, block in enumerate(page_code("kotlin")):
        if "import android." not in block:
            page = folder / f"Page{number}.kt"
            page.write_text(f"package page{number}\n\n{block}", "utf-8")
    java = [*sorted(PROGRAM.glob("*.java")), *java_of_page(folder)]
    stubs = sorted(ANDROID.rglob("*.java"))
    compile_java(stubs, android, [])
    TOOL.compile_kotlin(
        TOOL.kotlin_job(TOOL.sources(with_android=False), classes),
        TOOL.kotlin_job([*PROGRAM.glob("*.kt"), *folder.glob("*.kt"), *java], program, [classes]),
        TOOL.kotlin_job(
            [TOOL.SOURCES / TOOL.ANDROID_ONLY, ANDROID / "UseAssets.kt"],
            android,
            [android, classes],
        ),
    )
    compile_java(java, program, [program, classes, *TOOL.runtime()])
    TOOL.make_jar(
        folder / "pocketintent.jar", classes, TOOL.build_here(folder / "native", keeps_part=True)
    )


def java_of_page(folder: Path) -> list[Path]:
    """The files of the blocks of Java, each with the name of its class."""
    files = []
    for block in page_code("java"):
        name = re.search(r"class (\w+)", block)
        assert name is not None
        files.append(folder / f"{name[1]}.java")
        files[-1].write_text(block, "utf-8")
    return files


@pytest.fixture(scope="session")
def library(make_once: MakeOnce) -> Library:
    """The jar for desktop JVMs, and the program of the tests."""
    need_compilers()
    return Library(make_once("jvm_library", build))


@pytest.fixture
def lamp_path(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    """A bot file with the intents ``on`` and ``off``."""
    path = tmp_path / "lamp.safetensors"
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"]}
    IntentRecognizer.load(templates, exportable_models["contextual"]).save(path)
    return path
