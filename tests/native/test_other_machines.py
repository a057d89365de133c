"""The core on other processors and systems, by emulators where they are installed.

ARM64 needs `apt-get install qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross`, ARMv7
`apt-get install qemu-user-static gcc-arm-linux-gnueabihf libc6-dev-armhf-cross`, Windows zig (`make
native` installs it) and `apt-get install wine64`, wasm zig and Node.
"""

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.robustness import core_files
from benchmarks.robustness.core.asking import OPEN, Case, ask
from benchmarks.robustness.core.building import FUZZ, compile_core
from benchmarks.robustness.core.comparing import differences, expect
from native_building import COMMAND, CORE
from native_core import Core
from native_edits import assert_equal
from native_texts import HOSTILE, every_script, typing_errors, vectors
from pocketintent import IntentRecognizer
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.templates.files import load_templates
from programs import find, find_zig
from shared_fixtures import EXPORTED_TEMPLATES, REPOSITORY, MakeOnce

TOOL = CORE / "tools" / "build.py"


def typed_texts(count: int) -> list[str]:
    """Texts with typing errors, of known words in no order, of each script, and hostile ones."""
    rng = random.Random(3)
    intents = load_templates("smart_home").intents.values()
    given = [text for intent in intents for text in intent.templates]
    texts = [*HOSTILE, *every_script()[::8]]
    while len(texts) < count:
        texts.append(typing_errors(rng.choice(given), rng))
        texts.append(" ".join(rng.choices(" ".join(given).split(), k=rng.randrange(1, 12))))
    return texts[:count]


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Texts of one line each."""
    return [" ".join(text.split()) for text in typed_texts(400) if "\ud800" not in text]


@pytest.fixture(scope="module")
def bot_file(make_once: MakeOnce) -> Path:
    path = make_once("lines_bot", lambda path: path.mkdir()) / "bot.safetensors"
    IntentRecognizer.load("smart_home", "tiny").save(path)
    return path


def run_lines(call: Sequence[object], lines: Sequence[str], **variables: str) -> list[Any]:
    """The lines of JSON that a program prints for lines on its stdin."""
    run = subprocess.run(
        [str(word) for word in call],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        env=os.environ | variables,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.decode().split("\n")[:-1]]


def assert_lines(found: list[Any], bot_file: Path, lines: Sequence[str]) -> None:
    """Each line is the match of Python, unless rounding decides."""
    assert len(found) == len(lines)
    for expected, match in zip(expect(IntentRecognizer.load(bot_file), lines), found, strict=True):
        other = {"read": expected.read, "tokens": expected.tokens}
        ranking = [{"score": score} for score in expected.ranking]
        assert not differences(expected, {"match": match, "rank": ranking, **other})


class Processor(NamedTuple):
    """A processor that Linux runs on, in an emulator."""

    name: str
    emulator: str
    compiler: str
    libc: str
    """The package of Debian with the C library."""
    flags: tuple[str, ...] = ()


# The vectors of ARMv7 are optional: all phones have them, and Debian's compiler does without.
PROCESSORS = [
    Processor("arm64", "qemu-aarch64", "aarch64-linux-gnu-gcc", "libc6-dev-arm64-cross"),
    Processor(
        "armv7",
        "qemu-arm",
        "arm-linux-gnueabihf-gcc",
        "libc6-dev-armhf-cross",
        ("-mfpu=neon",),
    ),
]


class Machine(NamedTuple):
    """A processor that is emulated here."""

    processor: Processor
    emulator: str
    compiler: str

    def build(self, source: Path, target: Path, *flags: str) -> list[str | Path]:
        """Compile a program; returns the words that call it."""
        compile_core(source, target, "-O1", "-static", *flags, compiler=[self.compiler])
        return [self.emulator, target]


@pytest.fixture(scope="module", params=PROCESSORS, ids=[each.name for each in PROCESSORS])
def machine(request: pytest.FixtureRequest) -> Machine:
    processor: Processor = request.param
    emulators = f"{processor.emulator}-static", processor.emulator
    emulator = find(*emulators, packages="qemu-user-static")
    packages = f"gcc-{processor.compiler.removesuffix('-gcc')} {processor.libc}"
    return Machine(processor, emulator, find(processor.compiler, packages=packages))


@pytest.fixture(scope="module")
def answers(machine: Machine, make_once: MakeOnce) -> list[str | Path]:
    """The words that call the program that answers, with the hooks in it."""
    processor = machine.processor

    def build(path: Path) -> None:
        machine.build(FUZZ / "answers.c", path, *processor.flags)

    return [machine.emulator, make_once(f"answers_{processor.name}", build)]


@pytest.mark.parametrize(
    ("kind", "count"), [("static", 1200), ("contextual", 1200), ("transformer", 600)]
)
def test_small_models_answer_on_arm_as_in_python(
    answers: list[str | Path],
    exportable_models: dict[str, Path],
    tmp_path: Path,
    kind: str,
    count: int,
) -> None:
    path, texts = tmp_path / "bot.safetensors", typed_texts(count)
    recognizer = IntentRecognizer.load(EXPORTED_TEMPLATES, exportable_models[kind])
    recognizer.save(path)
    # Plain C is the same on each processor but for the compiler's sums.
    cases = [Case(path.read_bytes(), texts, "neon"), Case(path.read_bytes(), texts[::4], "plain")]
    replies, at_end = ask(answers, cases)
    assert at_end == ""
    for case, reply in zip(cases, replies, strict=True):
        assert reply.status == OPEN
        expected = expect(recognizer, case.texts)
        for text, wanted, answer in zip(case.texts, expected, reply.answers, strict=True):
            assert not differences(wanted, answer), text


def test_the_tokenizer_on_arm_passes_its_vectors(answers: list[str | Path], bot_file: Path) -> None:
    tokenizer = vectors("tokenizer")
    texts = [vector["text"] for vector in tokenizer]
    replies, _ = ask(answers, [Case(bot_file.read_bytes(), texts)])
    for vector, answer in zip(tokenizer, replies[0].answers, strict=True):
        assert answer["tokens"] == vector["tokens"]


def test_mutated_files_on_arm_are_refused_by_both_or_answered_alike(
    answers: list[str | Path], tmp_path: Path
) -> None:
    """Sizes of files that lie are checked in words of 32 bits, too."""
    files = [core_files.draw(seed) for seed in range(200)]
    replies, at_end = ask(answers, [Case(file, core_files.TEXTS, "neon") for file in files])
    assert at_end == ""
    judged = [
        core_files.judge(file, reply, tmp_path / "bot.safetensors")
        for file, reply in zip(files, replies, strict=True)
    ]
    assert not [unequal for _, unequal in judged if unequal]
    became = Counter(became for became, _ in judged)
    assert became["refused by ModelFileError"] > 100 and became["opened"] > 10


def test_the_command_on_arm_prints_the_same_lines(
    machine: Machine, bot_file: Path, lines: list[str], tmp_path: Path
) -> None:
    command = machine.build(COMMAND, tmp_path / "command")
    found = run_lines([*command, bot_file], lines)
    assert [line.pop("text") for line in found] == lines
    assert_lines(found, bot_file, lines)


def test_edits_on_arm_are_those_of_python(
    machine: Machine, core: Core, bot_file: Path, lines: list[str], tmp_path: Path
) -> None:
    program = machine.build(
        CORE / "tests" / "edit_file.c", tmp_path / "edit_file", *machine.processor.flags
    )
    saved, fitted = tmp_path / "saved.safetensors", tmp_path / "fitted.safetensors"
    recognizer = IntentRecognizer.load(bot_file)
    templates = ["play some jazz", "put on miles davis", "jazz please"]
    removed = recognizer.intents[3]
    call = [*program, bot_file, saved, fitted, removed, "play_jazz", *templates]
    subprocess.run(list(map(str, call)), check=True)
    recognizer.add_intent("play_jazz", templates)
    recognizer.remove_intent(removed)
    with core.open(saved) as bot:
        assert_equal((recognizer, bot), lines)
    refitted = IntentRecognizer.load(recognizer.templates.to_dict(), "tiny")
    with core.open(fitted) as bot:
        assert_equal((refitted, bot), lines)


def test_the_command_for_windows_prints_the_same_lines(
    bot_file: Path, lines: list[str], tmp_path: Path
) -> None:
    wine = find("wine64", "/usr/lib/wine/wine64", "wine", packages="wine64")
    program = tmp_path / "command.exe"
    compiler = [*find_zig(), "cc", "-target", "x86_64-windows-gnu"]
    compile_core(COMMAND, program, "-O1", "-g0", compiler=compiler)
    prefix = {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
    prefix["WINEDLLOVERRIDES"] = "mscoree,mshtml="  # it would ask for more packages
    drive = f"Z:{bot_file}".replace("/", "\\")
    found = run_lines([wine, program, drive], lines, **prefix)
    assert [line.pop("text") for line in found] == lines
    assert_lines(found, bot_file, lines)


@pytest.mark.parametrize("target", ["wasm32-relaxed", "wasm32-simd", "wasm32"])
def test_the_modules_of_wasm_match_as_python_does(
    bot_file: Path, lines: list[str], tmp_path: Path, target: str
) -> None:
    node = find("node", packages="nodejs")
    python = find_zig()[0]
    call = [python, str(TOOL), "--out", str(tmp_path), "--target", target]
    subprocess.run(call, check=True, capture_output=True)
    module = tmp_path / target / "pocketintent.wasm"
    script = CORE / "tests" / "match_lines.mjs"
    found = run_lines([node, "--no-warnings", script, module, bot_file], lines)
    assert_lines(found, bot_file, lines)
    # The bot that it makes of the model and the set is that of Python.
    templates = REPOSITORY / "templates" / "smart_home.json"
    call = [
        node,
        "--no-warnings",
        str(script),
        str(module),
        str(find_model("tiny")),
        str(templates),
    ]
    recognizer = IntentRecognizer.load(bot_file)
    for line, match in zip(lines, run_lines(call, lines), strict=True):
        expected = recognizer.match(line).to_dict()
        assert match["score"] == pytest.approx(expected["score"], abs=1e-4)
        if (expected["margin"] or 0) > 1e-4:
            assert match["nearest"] == expected["nearest"]
