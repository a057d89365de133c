"""Calls of the commands that compress, and what their tests share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pocketintent.cli.main import build_parser
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.text.ngrams import NgramSettings

NOUNS = ["lamp", "light", "music", "song", "pizza", "burger", "taxi", "hotel"]
VERBS = ["play", "stop", "order", "book", "switch", "dim", "find", "cancel"]

Build = Callable[[], argparse.ArgumentParser]
SMALL = ("--sub-dim", 3, "--codebook-size", 8)
NGRAMS = NgramSettings(2, 3, 16)


def call(*argv: Any, build: Build = build_parser) -> int:
    args = build().parse_args([str(argument) for argument in argv])
    status: int = args.run(args)
    return status


def read(path: Path) -> StaticEncoder:
    encoder = load_encoder(path)
    assert isinstance(encoder, StaticEncoder)
    return encoder
