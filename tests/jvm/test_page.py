"""The code of docs/android.md, the sources for Android and the sample app."""

import re
from pathlib import Path

import pytest

from jvm_library import JVM, NO_ANDROID, PAGE, SAMPLE, TOOL, Library, android_jar, page_code
from pocketintent import IntentRecognizer


def test_the_programs_of_the_page_run(library: Library, tmp_path: Path, lamp_path: Path) -> None:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load("smart_home", "tiny").save(path)
    number = next(n for n, block in enumerate(page_code("kotlin")) if "fun main(" in block)
    printed = library.java([f"page{number}.Page{number}Kt", str(path), "lights on", ""])
    lines = printed.splitlines()
    assert lines[0].startswith("lights on: lights_on, score 0.9")
    assert lines[1].startswith(": UNKNOWN_WORDS, score 0.0")
    assert library.java(["Lamp", str(path)]) == "lights_on\n"


def test_the_page_has_all_kinds_of_code() -> None:
    """Each block is one that the tests compile, or of Gradle."""
    assert len(page_code("kotlin")) == 4
    assert len(page_code("java")) == 1
    text = PAGE.read_text("utf-8")
    assert set(re.findall(r"^```(\w+)$", text, re.MULTILINE)) == {"kotlin", "java", "kts"}


def test_the_page_names_what_the_sample_uses() -> None:
    """Gradle cannot be run here: what the page says is what the sample's files say."""
    sample = (JVM / "sample" / "build.gradle.kts").read_text("utf-8")
    folder, app = page_code("kts")
    assert "sdk/jvm" in folder
    (stored,) = re.findall(r"androidResources \{.*?\}", app)
    assert stored in sample


def test_assets_are_read_where_they_are_stored(
    library: Library, lamp_path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "assets"
    folder.mkdir()
    (folder / "bot.safetensors").write_bytes(lamp_path.read_bytes())
    (folder / "bot.safetensors.stored").write_bytes(b"head" + lamp_path.read_bytes() + b"tail")
    words = ["UseAssetsKt", str(folder)]
    assert library.java(words, classes=library.folder / "android") == '"done"\n'


def test_the_sources_for_android_use_what_the_oldest_has(tmp_path: Path) -> None:
    if (jar := android_jar()) is None:
        pytest.skip(NO_ANDROID)
    files = [*TOOL.sources(with_android=True), *SAMPLE.glob("*.kt")]
    for number, block in enumerate(page_code("kotlin")):
        files.append(tmp_path / f"Page{number}.kt")
        files[-1].write_text(f"package page{number}\n\n{block}", "utf-8")
    TOOL.compile_kotlin(TOOL.kotlin_job(files, tmp_path / "classes", android_jar=jar))
    assert (tmp_path / "classes" / "io" / "pocketintent" / "sample" / "MainActivity.class").exists()
