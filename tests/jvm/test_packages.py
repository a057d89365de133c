"""The packages of the Kotlin library, and the native libraries in them for each processor."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from jvm_library import JVM, NO_ANDROID, TOOL, Library, android_jar, need_compilers
from programs import find, find_zig
from shared_fixtures import MakeOnce

LIMIT = 300_000
"""Bytes of a native library."""
PAGE = 1 << 14
# zig has no C library of Android: musl's takes its place, in which sizes and segments are alike.
TRIPLES = {
    "aarch64-linux-android23": "aarch64-linux-musl",
    "armv7a-linux-androideabi23": "arm-linux-musleabihf -mcpu=generic+v7a+neon+vfp3",
    "x86_64-linux-android23": "x86_64-linux-musl",
}


def write_ndk(folder: Path) -> None:
    """A folder that is called as an NDK is, with zig as its compiler."""
    clang = folder / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin" / "clang"
    clang.parent.mkdir(parents=True)
    zig = " ".join(f"'{word}'" for word in find_zig())
    jni = f"-I'{TOOL.NATIVE / 'desktop'}' -I'{TOOL.find_jdk() / 'include'}'"
    cases = "".join(
        f'  --target={triple}) exec {zig} cc -target {words} {jni} "$@" ;;\n'
        for triple, words in TRIPLES.items()
    )
    clang.write_text(f"#!/bin/sh\ntarget=$1\nshift\ncase $target in\n{cases}esac\nexit 64\n")
    clang.chmod(0o755)


@pytest.fixture(scope="module")
def ndk(make_once: MakeOnce) -> Path:
    need_compilers()
    find_zig()
    return make_once("ndk", write_ndk)


@pytest.fixture(scope="module")
def libraries(ndk: Path, make_once: MakeOnce) -> dict[str, Path]:
    """The libraries by their ABIs."""
    folder = make_once("abis", lambda path: TOOL.build_abis(path, ndk))
    return {path.parent.name: path for path in sorted(folder.glob("*/*.so"))}


def read_elf(option: str, path: Path) -> str:
    program = find("readelf", "llvm-readelf", packages="binutils")
    run = subprocess.run([program, option, "-W", path], capture_output=True, text=True, check=True)
    return run.stdout


def assert_fit_for_android(path: Path) -> None:
    """Small, aligned to pages of 16 KB, and nothing is seen of it but what Java calls."""
    assert path.stat().st_size <= LIMIT
    segments = re.findall(r"^ +LOAD .* (0x[0-9a-f]+)$", read_elf("-l", path), re.MULTILINE)
    assert len(segments) >= 2
    assert {int(segment, 16) % PAGE for segment in segments} == {0}
    assert "TEXTREL" not in read_elf("-d", path)
    symbols = re.findall(
        r" GLOBAL +DEFAULT +\d+ (\S+)$", read_elf("--dyn-syms", path), re.MULTILINE
    )
    assert sorted(symbols) == sorted(f"Java_io_pocketintent_Native_{name}" for name in functions())


def functions() -> list[str]:
    """What Native.kt declares."""
    text = (TOOL.SOURCES / "Native.kt").read_text("utf-8")
    return re.findall(r"external fun (\w+)", text)


def test_the_library_of_each_abi_is_fit_for_android(libraries: dict[str, Path]) -> None:
    machines = {"arm64-v8a": "AArch64", "armeabi-v7a": "ARM", "x86_64": "X86-64"}
    assert libraries.keys() == TOOL.ABIS.keys() == machines.keys()
    for abi, path in libraries.items():
        print(abi, path.stat().st_size)
        assert machines[abi] in read_elf("-h", path)
        assert_fit_for_android(path)


def test_the_library_of_this_machine_is_no_other(library: Library) -> None:
    for path in (library.folder / "native").glob("*.so"):
        print("here", path.stat().st_size)
        assert_fit_for_android(path)


def test_an_aar_has_all_that_an_app_needs(
    library: Library, libraries: dict[str, Path], tmp_path: Path
) -> None:
    aar = TOOL.make_aar(tmp_path / "pocketintent.aar", library.folder / "library", libraries)
    with zipfile.ZipFile(aar) as archive:
        names = set(archive.namelist())
        assert names == {
            *("AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt"),
            *(f"jni/{abi}/libpocketintent_jni.so" for abi in TOOL.ABIS),
        }
        assert b'minSdkVersion="23"' in archive.read("AndroidManifest.xml")
        assert archive.read("proguard.txt") == (JVM / "consumer-rules.pro").read_bytes()
        archive.extract("classes.jar", tmp_path)
    with zipfile.ZipFile(tmp_path / "classes.jar") as jar:
        assert "io/pocketintent/Recognizer.class" in jar.namelist()
    again = TOOL.make_aar(tmp_path / "again.aar", library.folder / "library", libraries)
    assert aar.read_bytes() == again.read_bytes()


def test_the_tool_makes_an_aar(
    libraries: dict[str, Path],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if (jar := android_jar()) is None:
        pytest.skip(NO_ANDROID)
    monkeypatch.setattr(TOOL, "build_abis", lambda folder, ndk: libraries)
    arguments = ["--out", str(tmp_path), "--sdk", str(jar.parents[2]), "--ndk", "as above"]
    assert TOOL.main(["aar", *arguments]) == 0
    *sizes, archive = map(json.loads, capfd.readouterr().out.splitlines())
    assert [size["library"] for size in sizes] == sorted(TOOL.ABIS)
    with zipfile.ZipFile(archive["archive"]) as aar:
        aar.extract("classes.jar", tmp_path)
    with zipfile.ZipFile(tmp_path / "classes.jar") as classes:
        assert "io/pocketintent/AndroidAssets.class" in classes.namelist()


def test_zig_builds_for_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_compilers()
    name = "windows-x86_64"
    monkeypatch.setattr(TOOL, "DESKTOPS", {name: TOOL.DESKTOPS[name]})
    libraries = TOOL.build_desktops(tmp_path, find_zig())
    path = tmp_path / name / "pocketintent_jni.dll"
    assert libraries == {name: path}
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_size <= LIMIT
    for function in functions():
        assert f"Java_io_pocketintent_Native_{function}\0".encode() in path.read_bytes()


def test_the_tool_says_what_is_missing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    places = ["--out", str(tmp_path), "--sdk", str(tmp_path), "--ndk", str(tmp_path)]
    assert TOOL.main(["aar", *places]) == 1
    assert "no NDK" in capfd.readouterr().err
    monkeypatch.setattr(TOOL, "KOTLIN", tmp_path / "missing")
    monkeypatch.setattr(TOOL, "build_here", lambda folder: {})
    assert TOOL.main(["jar", "--out", str(tmp_path)]) == 1
    assert "npm ci" in capfd.readouterr().err


def test_cmake_says_what_the_tool_does(library: Library, tmp_path: Path) -> None:
    cmake = find("cmake", packages="cmake")
    call: list[str | Path] = [cmake, "-S", TOOL.NATIVE, "-B", tmp_path, "-G", "Unix Makefiles"]
    call += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DJAVA_HOME={TOOL.find_jdk()}"]
    subprocess.run(call, check=True, capture_output=True)
    (compiled,) = json.loads((tmp_path / "compile_commands.json").read_text("utf-8"))
    assert Path(compiled["file"]).name == "pocketintent_jni.c"
    linked = (tmp_path / "CMakeFiles" / "pocketintent_jni.dir" / "link.txt").read_text("utf-8")
    for flag in TOOL.FLAGS:
        assert flag.startswith("-W") or flag in compiled["command"].split()
    for flag in TOOL.ELF if sys.platform == "linux" else ():
        assert flag in linked.split()


def test_gradle_says_what_the_tool_does() -> None:
    library = (JVM / "build.gradle.kts").read_text("utf-8")
    assert f"minSdk = {TOOL.MIN_SDK}\n" in library
    (named,) = re.findall(r"abiFilters \+= listOf\((.*)\)", library)
    assert sorted(json.loads(f"[{named}]")) == sorted(TOOL.ABIS)
    for place in re.findall(r'(?:file|consumerProguardFiles)\("(.*?)"\)', library):
        assert (JVM / place).is_file()
    desktop = (JVM / "desktop" / "build.gradle.kts").read_text("utf-8")
    assert f'exclude("**/{TOOL.ANDROID_ONLY}")' in desktop
    assert (JVM / "desktop" / re.findall(r'srcDir\("(.*)"\)', desktop)[0]).is_dir()
    settings = (JVM / "settings.gradle.kts").read_text("utf-8")
    assert '"org.jetbrains.kotlin.jvm") version "2.4.20"' in settings
    assert '"kotlin-compiler": "2.4.20"' in (JVM / "tools" / "package.json").read_text("utf-8")


def test_rules_keep_what_c_finds_by_name(library: Library, lamp_path: Path, tmp_path: Path) -> None:
    """The library and a program run after ProGuard has renamed their classes and removed some."""
    proguard = find("proguard", packages="proguard-cli")
    if (android := android_jar()) is None:
        pytest.skip(NO_ANDROID)  # ProGuard must know what Java has, and reads no newer JDK
    small, main = tmp_path / "small.jar", "class UseFromJava { void main(java.lang.String[]); }"
    call: list[str | Path] = [proguard, f"@{JVM / 'consumer-rules.pro'}", "-injars", library.jar]
    for path in (library.folder / "program", *TOOL.runtime()):
        call += ["-injars", f"{path}(!META-INF/**)"]
    call += ["-outjars", small, "-libraryjars", android, "-dontnote", "-dontwarn", "**"]
    call += ["-keep", main]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    with zipfile.ZipFile(small) as jar:
        names = jar.namelist()
    assert "io/pocketintent/Native.class" in names
    assert "io/pocketintent/Packet.class" not in names  # it has another name
    java = TOOL.find_jdk() / "bin" / "java"
    call = [java, "-cp", small, "UseFromJava", lamp_path, tmp_path / "saved"]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, '"done"\n'), run.stderr
