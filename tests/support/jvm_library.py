"""The Kotlin library for tests: how it is built, and a program that uses it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shared_fixtures import REPOSITORY

JVM = REPOSITORY / "sdk" / "jvm"
PROGRAM = REPOSITORY / "tests" / "jvm" / "program"
ANDROID = REPOSITORY / "tests" / "jvm" / "android"
NO_ANDROID = (
    "no classes of Android: set ANDROID_HOME to an SDK, or install libandroid-23-java of Debian 11 "
    "or sid"
)
PAGE = REPOSITORY / "docs" / "android.md"
SAMPLE = JVM / "sample" / "src" / "main" / "kotlin" / "io" / "pocketintent" / "sample"


def load_tool() -> ModuleType:
    """``sdk/jvm/tools/build.py`` as a module."""
    spec = importlib.util.spec_from_file_location("jvm_build", JVM / "tools" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["jvm_build"] = module
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()


def need_compilers() -> None:
    """Skip the test where there is no JDK, no Kotlin compiler or no C compiler."""
    try:
        TOOL.find_jdk()
        TOOL.compiler_jar("kotlin-compiler")
    except TOOL.BuildError as error:
        pytest.skip(str(error))
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("no C compiler: apt-get install gcc")


def android_jar() -> Path | None:
    """The classes of Android, if an SDK or Debian's ``libandroid-23-java`` is installed."""
    for folder in (os.environ.get("ANDROID_HOME"), "/usr/lib/android-sdk"):
        if folder is not None and Path(folder).is_dir():
            try:
                jar: Path = TOOL.find_android_jar(Path(folder))
                return jar
            except TOOL.BuildError:
                pass
    return None


def page_code(language: str) -> list[str]:
    """The blocks of code of docs/android.md in a language."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return blocks


def compile_java(files: Iterable[Path], target: Path, classpath: Iterable[Path]) -> None:
    """Compile files of Java into a folder; the test fails with the compiler's words if it warns."""
    target.mkdir(exist_ok=True)
    call = [str(TOOL.find_jdk() / "bin" / "javac"), "-Xlint:all", "-Werror", "-d", str(target)]
    call += ["--release", "11"]
    call += ["-cp", os.pathsep.join(map(str, classpath)), *map(str, files)]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


class Library:
    """The library in a jar, and the program that the tests run with it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.jar = folder, folder / "pocketintent.jar"

    def run(self, command: str, *arguments: object, **more: Any) -> Any:
        """The last line that a command prints, which is JSON."""
        return self.lines(command, *arguments, **more)[-1]

    def lines(
        self,
        command: str,
        *arguments: object,
        stdin: str = "",
        options: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> list[Any]:
        """The lines that a command prints, which are JSON."""
        call = [*options, "MainKt", command, *map(str, arguments)]
        output = self.java(call, stdin, variables)
        return [json.loads(line) for line in output.splitlines()]

    def java(
        self,
        words: Sequence[str],
        stdin: str = "",
        variables: Mapping[str, str] | None = None,
        classes: Path | None = None,
    ) -> str:
        """What Java prints for options, a class and arguments, with the library in its jar.

        Args:
            words: The options, the class and the arguments.
            stdin: What it reads.
            variables: More of the environment.
            classes: A folder of classes, if not the program.
        """
        classpath = [classes or self.folder / "program", self.jar, *TOOL.runtime()]
        start = [TOOL.find_jdk() / "bin" / "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        run = subprocess.run(
            [*start, "-cp", os.pathsep.join(map(str, classpath)), *words],
            input=stdin,
            env=os.environ | (variables or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert run.returncode == 0, run.stderr[-4000:]
        assert run.stderr == ""
        return run.stdout

    def answer(self, requests: Iterable[Sequence[object]]) -> list[Any]:
        """The answers to requests: a word of ``Answers.kt``, and texts."""
        given = [(str(word), map(_digits, map(str, texts))) for word, *texts in requests]
        stdin = "".join("\t".join((word, *texts)) + "\n" for word, texts in given)
        return self.lines("answer", stdin=stdin)


def _digits(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()
