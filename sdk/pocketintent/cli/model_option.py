"""The option ``--model``, which all commands that use a model share."""

from __future__ import annotations

import argparse

from pocketintent.runtime.shipped_models import DEFAULT, bundled_models

MODEL_HELP = f"a model file, or the name of a shipped model: {', '.join(bundled_models())}"


def add_model_option(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add ``--model``, one model; None when it is absent, which stands for the default one.

    Args:
        parser: What gets the option.
        more: What else it may name.
    """
    parser.add_argument("--model", metavar="MODEL", help=f"{MODEL_HELP}{more} ({DEFAULT})")
