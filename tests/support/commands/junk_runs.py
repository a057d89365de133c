"""Runs of calls with junk: a message and a status, no traceback, no hang."""

import argparse
import contextlib
import io
import json
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from commands.junk import NEVER_NUMBERS, Call, Calls, calls, plain_call, write_files
from commands.settings_files import settings_file
from models.random_transformers import piece_table, random_transformer
from pocketintent.cli.main import main
from pocketintent.compression.kinds import words_of
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.files.model_file import save_model

SECONDS = 60
"""A call that takes longer hangs."""

EVERY = 1 if os.environ.get("JUNK") == "all" else 41
"""The default run makes one call in 41; JUNK=all makes them all."""


def _too_slow(*_: object) -> None:
    raise AssertionError(f"no end after {SECONDS} s")


Main = Callable[[tuple[str, ...]], int]


@pytest.fixture(scope="module")
def junk_files(
    tmp_path_factory: pytest.TempPathFactory,
    tiny_model: Path,
    compressed_model: Path,
) -> Path:
    """A folder with the files that the calls read."""
    folder = tmp_path_factory.mktemp("junk")
    encoder = load_encoder(tiny_model)
    counts = [*range(len(words_of(encoder).vocabulary), 0, -1)]
    counted = encoder.replace(counts=np.array(counts, np.uint32))
    path = tmp_path_factory.mktemp("counted") / "counted.safetensors"
    save_model(path, *counted.to_model_file_parts())
    charemb = path.with_name("charemb.safetensors")
    words = f"train charemb --target {compressed_model} --out {charemb} --reads words --epochs 30"
    settings = settings_file(hidden=16, mlp=32, batch_size=16, validation=0, min_char_count=1)
    assert main([*words.split(), *settings]) == 0
    built = path.with_name("built.safetensors")
    IntentRecognizer(encoder, {"on": ["lamp on"], "off": ["lamp off"]}).save(built)
    table = piece_table(dim=2)
    table = table.replace(counts=np.ones(len(table.vocabulary), np.uint32))
    network = random_transformer(2, np.random.default_rng(0), heads=1)
    transformer = path.with_name("transformer.safetensors")
    save_model(transformer, *TransformerEncoder(table, network).to_model_file_parts())
    models = {"tiny": tiny_model, "compressed": compressed_model, "counted": path, "built": built}
    write_files(folder, models | {"charemb": charemb, "transformer": transformer})
    return folder


@contextlib.contextmanager
def _folder(files: Path, work: Path) -> Iterator[None]:
    """Work in a fresh copy of the files, since a call may write to any of them."""
    shutil.copytree(files, work, symlinks=True, ignore=shutil.ignore_patterns("fifo"))
    os.mkfifo(work / "fifo")
    before = Path.cwd()
    os.chdir(work)
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(work)


def _run(main: Main, arguments: tuple[str, ...]) -> tuple[int, str, str]:
    """The status, stdout and stderr of a call."""
    out, err = io.StringIO(), io.StringIO()
    old, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(SECONDS)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            status = main(arguments)
    except SystemExit as ended:
        status = int(ended.code or 0)
    finally:
        signal.alarm(0)
        sys.stdin = old
    return status, out.getvalue(), err.getvalue()


def _fault(main: Main, call: Call) -> str | None:
    """What is wrong with the end of a call; None if nothing is."""
    try:
        status, out, err = _run(main, call.arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    if "Traceback" in err:
        return "a traceback on stderr"
    if status == 0:
        if call.is_number and call.junk in NEVER_NUMBERS:
            return "accepted"
        try:
            for line in out.splitlines():
                json.loads(line, parse_constant=lambda word: 1 / 0)
        except (ValueError, ZeroDivisionError):
            return f"prints what is not JSON: {out[:200]}"
        return None
    if status not in (1, 2):
        return f"status {status}"
    message = err.strip().rpartition("\n")[2]
    names = {call.option, *call.metavar, call.option.strip("-").replace("-", "_")}
    junk = call.junk or ""
    names |= {junk[:40], Path(junk).name[:40]} - {""}
    if not any(name in err for name in names):
        return f"does not name the option or the value: {message[:200]}"
    return None


def check_succeeds(
    main: Main, table: Calls, command: tuple[str, ...], files: Path, work: Path
) -> None:
    """The calls of a command in the table succeed."""
    for arguments in table[command]:
        with _folder(files, work):
            status, _, err = _run(main, plain_call(command, arguments))
        assert status == 0, err


def check_junk(
    main: Main,
    parser: argparse.ArgumentParser,
    table: Calls,
    command: tuple[str, ...],
    files: Path,
    work: Path,
) -> None:
    """Junk in one place of a call ends with a message."""
    chosen = [call for call in calls(parser, table) if call.command == command][::EVERY]
    faults = []
    for call in chosen:
        with _folder(files, work):
            fault = _fault(main, call)
        if fault is not None:
            words = " ".join(word[:60] for word in call.arguments)
            faults.append(f"{words!a}: {fault}")
    assert not faults, f"{len(faults)} of {len(chosen)}:\n" + "\n".join(faults)
