"""Write bot files and what Python answers, which the tests of the npm package read.

    python -m benchmarks.robustness.web_answers sdk/web/build/answers

For each shipped template set and model there are a bot file, `smart_home-tiny.safetensors`, and a
file of lines, `smart_home-tiny.jsonl`: a text, its match, the scores of its ranking, the text as
read, whether rounding could decide the match, and for the first texts the explanation. The texts
are templates, with and without typing errors, characters of each part of Unicode, and hostile ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.robustness.core.comparing import expect
from benchmarks.robustness.core.texts import Drawn
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.templates.files import bundled_templates, load_templates

COUNTS = {"tiny": 200, "fast": 200, "default": 32}
"""Texts of each bot by its model."""
EXPLAINED = 8
"""Texts with an explanation; an explanation is as many matches as the text has words."""


def template_texts() -> list[str]:
    """The templates of all shipped sets."""
    sets = map(load_templates, bundled_templates().values())
    return [text for own in sets for intent in own.intents.values() for text in intent.templates]


def describe(recognizer: IntentRecognizer, texts: Sequence[str]) -> list[dict[str, Any]]:
    """The lines of a file.

    Args:
        recognizer: The bot, with the backend ``numpy``.
        texts: The texts.
    """
    return [
        {
            "text": text,
            "match": expected.match,
            "ranking": expected.ranking,
            "read": expected.read,
            "is_close_call": expected.is_close_call,
            "explanation": recognizer.explain(text).to_dict() if number < EXPLAINED else None,
        }
        for number, (text, expected) in enumerate(
            zip(texts, expect(recognizer, texts), strict=True)
        )
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.web_answers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("out", type=Path, help="the folder, which is made if it is missing")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    texts = Drawn(template_texts())
    for templates in sorted(bundled_templates()):
        for model, count in COUNTS.items():
            recognizer = IntentRecognizer.load(templates, model, backend="numpy")
            path = args.out / f"{templates}-{model}.safetensors"
            recognizer.save(path)
            lines = describe(recognizer, [texts[number] for number in range(count)])
            content = "".join(f"{json.dumps(line)}\n" for line in lines)
            path.with_suffix(".jsonl").write_text(content, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
