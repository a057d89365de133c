"""The package ``pocketintent_native`` for tests: of this checkout, with a library made for them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from native_building import CORE, compile_c

PACKAGE = CORE / "python" / "pocketintent_native"
_LIBRARIES = {"win32": "pocketintent.dll", "darwin": "libpocketintent.dylib"}

MakeOnce = Callable[[str, Callable[[Path], object]], Path]


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the imported package, so that the next import runs it again."""
    for name in [*sys.modules]:
        if name.partition(".")[0] == "pocketintent_native":
            monkeypatch.delitem(sys.modules, name)


@pytest.fixture(scope="session")
def native_folder(make_once: MakeOnce) -> Path:
    """A folder for ``sys.path`` that has the package; skipped without a compiler."""

    def build(folder: Path) -> None:
        package = folder / PACKAGE.name
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        library = package / _LIBRARIES.get(sys.platform, "libpocketintent.so")
        shared = ["-DPINTENT_SHARED"] if sys.platform == "win32" else ["-fPIC"]
        compile_c(CORE / "pocketintent.c", library, "-O2", "-shared", *shared)

    return make_once("native_package", build)


@pytest.fixture
def native(native_folder: Path, no_native: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package is installed; the folder that has it."""
    forget(monkeypatch)
    monkeypatch.syspath_prepend(native_folder)
    yield native_folder
    forget(monkeypatch)
