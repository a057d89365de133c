"""Build the Kotlin library without Gradle: a jar for desktop JVMs, or an AAR for Android.

    npm ci --prefix sdk/jvm/tools                              # the Kotlin compiler, once
    python sdk/jvm/tools/build.py jar --out dist               # for this machine, by its C compiler
    python sdk/jvm/tools/build.py jar --out dist --zig         # for every system, by zig
    python sdk/jvm/tools/build.py aar --out dist --sdk $ANDROID_HOME --ndk $ANDROID_NDK_HOME

Needs a JDK from version 11 on (JAVA_HOME, or that of the javac on the PATH). Prints one JSON line
for each library and for the archive, with its size in bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
SOURCES = HOME / "src" / "main" / "kotlin" / "io" / "pocketintent"
NATIVE = HOME / "src" / "main" / "c"
CORE = HOME.parent / "native"
KOTLIN = HOME / "tools" / "node_modules" / "kotlin-compiler" / "lib"
ANDROID_ONLY = "AndroidAssets.kt"
MIN_SDK = 23
ABIS = {
    "arm64-v8a": "aarch64-linux-android",
    "armeabi-v7a": "armv7a-linux-androideabi",
    "x86_64": "x86_64-linux-android",
}
"""The targets of the NDK's compiler by the names of their folders."""
DESKTOPS = {
    "linux-x86_64": "x86_64-linux-gnu.2.17",
    "linux-aarch64": "aarch64-linux-gnu.2.17",
    "macos-x86_64": "x86_64-macos.10.13",
    "macos-aarch64": "aarch64-macos.11.0",
    "windows-x86_64": "x86_64-windows-gnu",
}
"""The targets of zig by the names of the folders in which NativeLibrary.kt looks."""
# As in CMakeLists.txt.
FLAGS = ["-std=c11", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fvisibility=hidden"]
FLAGS += ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]
FLAGS += ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
ELF = ["-Wl,-z,max-page-size=16384", f"-Wl,--version-script={NATIVE / 'exports.map'}"]
MANIFEST = f"""\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="io.pocketintent">
    <uses-sdk android:minSdkVersion="{MIN_SDK}" />
</manifest>
"""


class BuildError(Exception):
    """Something that the build needs is missing; the message says how to get it."""


def find_jdk() -> Path:
    """The folder of the JDK; BuildError without one."""
    if named := os.environ.get("JAVA_HOME"):
        return Path(named)
    if (javac := shutil.which("javac")) is None:
        raise BuildError("no JDK: apt-get install openjdk-17-jdk-headless, or set JAVA_HOME")
    return Path(javac).resolve().parents[1]


def compiler_jar(name: str) -> Path:
    """A jar of the Kotlin compiler; BuildError if it is not installed."""
    if not KOTLIN.is_dir():
        raise BuildError("no Kotlin compiler: npm ci --prefix sdk/jvm/tools")
    return KOTLIN / f"{name}.jar"


def runtime() -> list[Path]:
    """What the library is compiled and run with."""
    return [compiler_jar("kotlin-stdlib"), compiler_jar("kotlinx-coroutines-core-jvm")]


def sources(with_android: bool) -> list[Path]:
    """The library's files of Kotlin."""
    return [
        path for path in sorted(SOURCES.glob("*.kt")) if with_android or path.name != ANDROID_ONLY
    ]


def kotlin_job(
    files: Iterable[Path],
    target: Path,
    classpath: Iterable[Path] = (),
    android_jar: Path | None = None,
) -> list[str]:
    """What the Kotlin compiler is told to compile files into a folder.

    Args:
        files: Of Kotlin, and of Java that they name.
        target: The folder for the classes.
        classpath: More than `runtime`.
        android_jar: The classes of Android, instead of those of the JDK.
    """
    given = [*runtime(), *classpath, *([] if android_jar is None else [android_jar])]
    job = ["-no-reflect", "-no-stdlib", "-Werror", "-jvm-target", "1.8"]
    job += ["-module-name", "pocketintent"] if target.name == "library" else []
    job += ["-Xjdk-release=1.8"] if android_jar is None else ["-no-jdk"]
    job += ["-cp", os.pathsep.join(map(str, given)), "-d", str(target)]
    return [*job, *map(str, files)]


def compile_kotlin(*jobs: Sequence[str]) -> None:
    """Run jobs of the Kotlin compiler in one process; BuildError with its words if one fails."""
    names = ("compiler", "stdlib", "script-runtime", "reflect")
    jars = [compiler_jar(f"kotlin-{name}") for name in names]
    jars += [compiler_jar("annotations-13.0"), compiler_jar("kotlinx-coroutines-core-jvm")]
    arguments = [word for job in jobs for word in ("--", *job)][1:]
    call = [str(find_jdk() / "bin" / "java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    call += ["-cp", os.pathsep.join(map(str, jars)), str(HOME / "tools" / "CompileKotlin.java")]
    run = subprocess.run([*call, *arguments], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise BuildError(run.stderr)


def compile_native(
    compiler: Sequence[str | Path],
    library: Path,
    *,
    has_jni: bool = False,
    keeps_part: bool = False,
) -> Path:
    """Compile the native library; BuildError with the compiler's words if it warns.

    Args:
        compiler: The words that call it.
        library: The file to make, whose ending tells the system.
        has_jni: Whether the compiler has <jni.h>, as that of the NDK does.
        keeps_part: Whether the object file stays beside the library.
    """
    library.parent.mkdir(parents=True, exist_ok=True)
    part = library.with_suffix(".o")
    includes = [f"-I{CORE}", f"-I{CORE / 'include'}"]
    if not has_jni:
        includes += [f"-I{NATIVE / 'desktop'}", f"-I{find_jdk() / 'include'}"]
    is_windows, is_elf = library.suffix == ".dll", library.suffix == ".so"
    own = ["-Os"] if is_windows else ["-fPIC"]  # a library of Windows is the largest
    source = str(NATIVE / "pocketintent_jni.c")
    # Apart, since zig compiles parts of the C library when it links, for which the flags are not.
    for words in (
        [*FLAGS, *own, *includes, "-c", source, "-o", part],
        ["-O2", "-shared", "-s", part, "-o", library, *([] if is_windows else ["-lm"])]
        + (ELF if is_elf else []),
    ):
        call = [str(word) for word in (*compiler, *words)]
        run = subprocess.run(call, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise BuildError(run.stderr)
    if not keeps_part:
        part.unlink()
    for left in (library.with_suffix(".pdb"), library.with_suffix(".lib")):
        left.unlink(missing_ok=True)
    return library


def library_name(system: str) -> str:
    """The file name of the library, as System.mapLibraryName gives it."""
    ending = {"macos": ".dylib", "windows": ".dll"}.get(system, ".so")
    return f"{'' if system == 'windows' else 'lib'}pocketintent_jni{ending}"


def build_here(folder: Path, *, keeps_part: bool = False) -> dict[str, Path]:
    """The library of this machine by the name of its folder, made by $CC or cc.

    Args:
        folder: Where to make it.
        keeps_part: As for `compile_native`.
    """
    system = {"darwin": "macos"}.get(sys.platform, "windows" if os.name == "nt" else "linux")
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    compiler = os.environ.get("CC", "cc")
    library = folder / library_name(system)
    return {
        f"{system}-{processor}": compile_native([compiler], library, keeps_part=keeps_part),
    }


def build_desktops(folder: Path, zig: Sequence[str]) -> dict[str, Path]:
    """The libraries of every desktop system by the names of their folders.

    Args:
        folder: Where to make them.
        zig: The words that call zig.
    """
    return {
        name: compile_native(
            [*zig, "cc", "-target", triple], folder / name / library_name(name.split("-")[0])
        )
        for name, triple in DESKTOPS.items()
    }


def build_abis(folder: Path, ndk: Path) -> dict[str, Path]:
    """The libraries of each ABI of Android, made by the NDK."""
    found = sorted(ndk.glob("toolchains/llvm/prebuilt/*/bin/clang*"))
    clang = next((path for path in found if path.stem == "clang"), None)
    if clang is None:
        raise BuildError(f"{ndk}: no NDK, which has toolchains/llvm/prebuilt/*/bin/clang")
    return {
        abi: compile_native(
            [clang, f"--target={triple}{MIN_SDK}"],
            folder / abi / library_name("android"),
            has_jni=True,
        )
        for abi, triple in ABIS.items()
    }


def write_zip(path: Path, entries: Mapping[str, bytes | Path]) -> Path:
    """Write an archive whose bytes depend on nothing but its entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            data = content if isinstance(content, bytes) else content.read_bytes()
            archive.writestr(
                zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED
            )
    return path


def class_entries(classes: Path) -> dict[str, bytes | Path]:
    """The entries of a jar for a folder of classes."""
    files = (path for path in sorted(classes.rglob("*")) if path.is_file())
    return {path.relative_to(classes).as_posix(): path for path in files}


def make_jar(path: Path, classes: Path, libraries: Mapping[str, Path]) -> Path:
    """Make the jar for desktop JVMs of classes, and of libraries by the names of their folders."""
    entries = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n", **class_entries(classes)}
    for name, library in libraries.items():
        entries[f"io/pocketintent/native/{name}/{library.name}"] = library
    entries["META-INF/proguard/pocketintent.pro"] = HOME / "consumer-rules.pro"
    return write_zip(path, entries)


def make_aar(path: Path, classes: Path, libraries: Mapping[str, Path]) -> Path:
    """Make the AAR of classes, and of libraries by their ABIs."""
    with tempfile.TemporaryDirectory() as folder:
        jar = write_zip(Path(folder) / "classes.jar", class_entries(classes))
        entries: dict[str, bytes | Path] = {"AndroidManifest.xml": MANIFEST.encode()}
        entries |= {"classes.jar": jar, "R.txt": b"", "proguard.txt": HOME / "consumer-rules.pro"}
        entries |= {f"jni/{abi}/{library.name}": library for abi, library in libraries.items()}
        return write_zip(path, entries)


def find_android_jar(sdk: Path) -> Path:
    """The classes of the oldest Android in an SDK that is new enough; BuildError without one."""
    found = {
        int(path.parent.name.partition("-")[2]): path
        for path in sdk.glob("platforms/android-*/android.jar")
        if path.parent.name.partition("-")[2].isdigit()
    }
    if not (usable := [level for level in found if level >= MIN_SDK]):
        raise BuildError(f"{sdk}: no platforms/android-{MIN_SDK}/android.jar, or of a higher level")
    return found[min(usable)]


def build(args: argparse.Namespace, folder: Path) -> tuple[Path, Mapping[str, Path]]:
    """Build what the arguments ask for: the archive, and the libraries in it."""
    classes = folder / "library"
    if args.archive == "aar":
        libraries = build_abis(folder, args.ndk)
        jar = find_android_jar(args.sdk)
        compile_kotlin(kotlin_job(sources(with_android=True), classes, android_jar=jar))
        return make_aar(args.out / "pocketintent.aar", classes, libraries), libraries
    zig = [sys.executable, "-m", "ziglang"]
    libraries = build_desktops(folder, zig) if args.zig else build_here(folder)
    compile_kotlin(kotlin_job(sources(with_android=False), classes))
    return make_jar(args.out / "pocketintent.jar", classes, libraries), libraries


def main(arguments: Sequence[str] | None = None) -> int:
    """Build an archive, and print the sizes."""
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="archive", required=True)
    jar = commands.add_parser("jar", help="the library for desktop JVMs")
    jar.add_argument("--zig", action="store_true", help="for every system, by this Python's zig")
    aar = commands.add_parser("aar", help="the library for Android")
    aar.add_argument("--sdk", type=Path, required=True, help="the folder of the Android SDK")
    aar.add_argument("--ndk", type=Path, required=True, help="the folder of the Android NDK")
    for command in (jar, aar):
        command.add_argument("--out", type=Path, required=True, help="the folder for the archive")
    args = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path, libraries = build(args, Path(folder))
            for name, library in libraries.items():
                print(json.dumps({"library": name, "bytes": library.stat().st_size}))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps({"archive": str(path), "bytes": path.stat().st_size}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
