"""Compiles the library into the wheel, by zig, and gives the wheel the tag of its platform.

The target is this machine, or the name of one in ``sdk/native/tools/build.py`` that the environment
variable ``POCKETINTENT_TARGET`` has.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TOOLS = Path(__file__).resolve().parents[1] / "tools"
TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "macos-aarch64": "macosx_11_0_arm64",
    "macos-x86_64": "macosx_10_13_x86_64",
    "windows-x86_64": "win_amd64",
}
"""The platform of a wheel by its target; the versions are those in the target's triple."""


def this_machine() -> str:
    """The target that this Python runs on."""
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, "")
    processor = platform.machine().lower()
    names = {"arm64": "aarch64", "amd64": "x86_64"}
    return f"{system}-{names.get(processor, processor)}"


def load_build() -> ModuleType:
    """The module ``sdk/native/tools/build.py``, which is in no package."""
    spec = importlib.util.spec_from_file_location("native_build", TOOLS / "build.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["native_build"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LibraryHook(BuildHookInterface[Any]):
    """Adds the library of one target to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell the builder of the file and the tag."""
        target = os.environ.get("POCKETINTENT_TARGET") or this_machine()
        if target not in TAGS:
            sys.exit(f"no wheel for {target!r}; the targets are {', '.join(TAGS)}")
        self._folder = tempfile.TemporaryDirectory()
        build = load_build()
        library = build.build_library(build.TARGETS[target], Path(self._folder.name))
        build_data["force_include"][str(library)] = (
            f"{self.metadata.name.replace('-', '_')}/{library.name}"
        )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[target]}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled: the wheel has it."""
        self._folder.cleanup()
