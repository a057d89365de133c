"""The Swift package: what of it can be checked without Swift, and its own tests where Swift is.

Swift comes with Xcode, from Debian 13 as `swiftlang`, or by `sdk/apple/tools/debian_swift.sh`. The
variable POCKETINTENT_SWIFT has the words that call it, if they are not `swift`.
"""

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared_fixtures import REPOSITORY

PACKAGE = REPOSITORY / "sdk" / "apple"
SOURCES = PACKAGE / "Sources"
SAMPLE = PACKAGE / "Sample" / "Sources" / "Sample"
PAGE = REPOSITORY / "docs" / "apple.md"
HEADER = REPOSITORY / "sdk" / "native" / "include" / "pocketintent.h"
STAND_IN = REPOSITORY / "tests" / "apple" / "stand_in" / "SwiftUI.swift"
FIRST_APP = REPOSITORY / "tests" / "apple" / "first_app" / "ContentView.swift"
WRITE_CASES = REPOSITORY / "tests" / "apple" / "write_cases.py"


def run(call: list[str], **variables: str) -> str:
    """What a program says; the test fails with it if the program does."""
    done = subprocess.run(
        call,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | variables,
        cwd=REPOSITORY,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


# ---- Without Swift -----------------------------------------------------------------------------


def arguments_of(text: str, start: int) -> list[str]:
    """The arguments between the bracket at a position and its end."""
    depth, begin, found = 0, start + 1, []
    for position in range(start, len(text)):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        if depth == 0 or (depth == 1 and text[position] == ","):
            found.append(text[begin:position].strip())
            begin = position + 1
        if depth == 0:
            break
    return [argument for argument in found if argument not in ("", "void")]


def declared() -> dict[str, list[str]]:
    """The functions of the header, with their parameters."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text("utf-8"), flags=re.DOTALL)
    return {
        match[1]: arguments_of(text, match.end() - 1)
        for match in re.finditer(r"PINTENT_API[^;(]*?(pintent_\w+)\(", text)
    }


def swift_files() -> list[Path]:
    return sorted((SOURCES / "PocketIntent").glob("*.swift"))


def calls() -> Iterator[tuple[str, list[str]]]:
    """The calls of the core in the Swift layer, with their arguments."""
    for path in swift_files():
        text = re.sub(r"//.*", "", path.read_text("utf-8"))
        for match in re.finditer(r"\b(pintent_\w+)\(", text):
            yield match[1], arguments_of(text, match.end() - 1)


def test_each_call_of_the_core_has_the_arguments_of_the_header() -> None:
    functions, structures = declared(), set(re.findall(r"\} (pintent_\w+);", HEADER.read_text()))
    assert functions["pintent_version"] == [] and len(functions["pintent_rank"]) == 7
    called = set()
    for name, arguments in calls():
        if name in structures:  # made of zeros, or of its fields
            fields = [argument.split(":")[0] for argument in arguments]
            assert fields in ([], ["data", "size"]), (name, arguments)
        else:
            assert len(arguments) == len(functions[name]), (name, arguments)
            called.add(name)
    assert {"pintent_open", "pintent_match_text", "pintent_scratch_free"} <= called


def test_constants_and_fields_of_the_core_are_those_of_the_header() -> None:
    text = "".join(path.read_text("utf-8") for path in swift_files())
    header = HEADER.read_text("utf-8")
    for constant in set(re.findall(r"\bPINTENT_\w+", text)):
        assert re.search(rf"\b{constant}\b", header), constant
    addition = re.search(r"struct pintent_addition \{(.*?)\}", header, re.DOTALL)
    assert addition is not None
    for field in set(re.findall(r"\baddition\.(\w+)", text)):
        assert re.search(rf"\b{field};", addition[1]), field
    # The macro has a cast, which Swift does not read.
    assert "#define PINTENT_DEFAULT_CACHE ((size_t)4 << 20)" in header
    assert "cacheBytes = 4 << 20  // PINTENT_DEFAULT_CACHE" in text


def test_reasons_and_kinds_of_errors_are_complete() -> None:
    header = HEADER.read_text("utf-8")
    match = (SOURCES / "PocketIntent" / "Match.swift").read_text("utf-8")
    reasons = {name.lower() for name in re.findall(r"PINTENT_REASON_(\w+) = [1-9]", header)}
    raw_values = re.findall(r'case (\w+) = "(\w+)"', match)
    cases = {value for name, value in raw_values if name != "runnerUp"} | {"ambiguous"}
    assert cases == reasons and "case ambiguous\n" in match


def test_the_module_of_c_is_compiled_by_clang(tmp_path: Path) -> None:
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("no clang: apt-get install clang")
    source = tmp_path / "uses.m"
    source.write_text(
        "@import CPocketIntent;\n"
        "pintent_reason reason_of(const pintent_match *match) { return match->reason; }\n"
    )
    module = SOURCES / "CPocketIntent" / "include" / "module.modulemap"
    modules = ["-fmodules", f"-fmodules-cache-path={tmp_path}", f"-fmodule-map-file={module}"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    run([clang, *modules, *warnings, "-fsyntax-only", "-x", "objective-c", str(source)])
    core = SOURCES / "CPocketIntent" / "core.c"
    run([clang, "-std=c11", *warnings, "-Wconversion", "-c", str(core), "-o", os.devnull])


def test_the_privacy_manifest_names_what_the_core_asks_the_system() -> None:
    """Apple wants a reason for `stat` and `fstat`, by which the core reads the sizes of files."""
    manifest = plistlib.loads((SOURCES / "PocketIntent" / "PrivacyInfo.xcprivacy").read_bytes())
    named = {kind["NSPrivacyAccessedAPIType"] for kind in manifest["NSPrivacyAccessedAPITypes"]}
    core = "".join(path.read_text("utf-8") for path in HEADER.parents[1].glob("src/*.c"))
    assert re.search(r"\bf?stat\(", core)
    assert named == {"NSPrivacyAccessedAPICategoryFileTimestamp"}
    for other in ("statfs", "statvfs", "mach_absolute_time", "sysctl", "getattrlist"):
        assert not re.search(rf"\b{other}\(", core)


def test_the_code_of_the_page_is_that_of_the_tests_and_the_sample() -> None:
    def lines(text: str) -> str:
        return "\n".join(line.strip() for line in text.splitlines() if line.strip())

    files = [FIRST_APP, *SAMPLE.glob("*.swift"), *(PACKAGE / "Tests").rglob("*.swift")]
    code = [lines(path.read_text("utf-8")) for path in files]
    blocks = re.findall(r"^```swift\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 2
    for block in blocks:
        assert any(lines(block) in text for text in code), block


# ---- With Swift --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def swift() -> list[str]:
    """The words that call Swift; the test is skipped without it."""
    words = shlex.split(os.environ.get("POCKETINTENT_SWIFT", "swift"))
    # The Swift of OpenStack has a command of this name, too.
    found = shutil.which(words[0])
    if found is None or "Swift version" not in run([*words, "--version"]):
        pytest.skip(
            "no Swift: Xcode, `apt-get install swiftlang` on Debian 13, or "
            "POCKETINTENT_SWIFT='sdk/apple/tools/debian_swift.sh /opt/debian swift'"
        )
    return words


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Options of a build in a folder of its own."""
    return ["-c", "release", "--scratch-path", str(tmp_path_factory.mktemp("swift"))]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    path = os.pathsep.join(map(str, (REPOSITORY / "sdk", REPOSITORY / "export")))
    run([sys.executable, str(WRITE_CASES), str(folder)], PYTHONPATH=path)
    return folder


def test_the_package_passes_its_tests(swift: list[str], build: list[str], cases: Path) -> None:
    strict = ["-Xswiftc", "-strict-concurrency=complete", "-Xswiftc", "-warnings-as-errors"]
    call = [*swift, "test", "--package-path", str(PACKAGE), *build, *strict]
    output = run(call, POCKETINTENT_CASES=str(cases))
    executed = re.findall(r"Executed (\d+) tests, with 0 failures", output)
    assert executed and int(executed[-1]) > 20, output


def test_the_sample_is_taught_an_intent_and_keeps_it(
    swift: list[str], cases: Path, tmp_path: Path
) -> None:
    # It is copied with the package and the core, since no bot file is in the repository.
    for part in ("apple", "native"):
        ignore = shutil.ignore_patterns(".build", "Cases")
        shutil.copytree(REPOSITORY / "sdk" / part, tmp_path / part, ignore=ignore)
    sample = tmp_path / "apple" / "Sample"
    shutil.copy(cases / "smart_home-tiny.safetensors", sample / "Sources/Sample/bot.safetensors")
    run([*swift, "build", "--package-path", str(sample), "-c", "release"])
    script = (
        f"cd {shlex.quote(str(sample))} && export HOME={shlex.quote(str(tmp_path))} && "
        "printf 'turn teh lihgts on\\nplay_jazz: some jazz would be nice\\nnice jazz\\n' | "
        ".build/release/Sample && printf 'nice jazz\\n' | .build/release/Sample"
    )
    shell = [*swift[:-1], "sh", "-c", script]
    assert run(shell) == "lights_on\nplay_jazz\nplay_jazz\n"
    modules = sample / ".build" / "release" / "Modules"
    check_views(swift, modules, tmp_path)


def check_views(swift: list[str], modules: Path, folder: Path) -> None:
    """The views of the sample and of the page have right types, by a stand-in for SwiftUI."""
    compiler = [*swift[:-1], "swiftc", "-swift-version", "5"]
    bundle = folder / "bundle.swift"
    bundle.write_text("import Foundation\nextension Bundle { static let module = Bundle.main }\n")
    stand_in = folder / "SwiftUI.swiftmodule"
    module = ["-module-name", "SwiftUI", str(STAND_IN), "-o", str(stand_in)]
    run([*compiler, "-emit-module", *module])
    header = SOURCES / "CPocketIntent" / "include" / "module.modulemap"
    found = ["-I", str(folder), "-I", str(modules), "-Xcc", f"-fmodule-map-file={header}"]
    strict = ["-strict-concurrency=complete", "-warnings-as-errors"]
    check = [*compiler, "-typecheck", "-parse-as-library", *found, *strict]
    run([*check, str(bundle), *map(str, sorted(SAMPLE.glob("*.swift")))])
    run([*check, str(FIRST_APP)])
    wrong = folder / "Wrong.swift"
    wrong.write_text(FIRST_APP.read_text("utf-8").replace("text: $text", "text: text"))
    with pytest.raises(AssertionError, match="expected type 'Binding<String>'"):
        run([*check, str(wrong)])
