import json
from pathlib import Path

import numpy as np
import pytest

from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError


def test_cosines_are_correlated_with_gold_scores(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    pairs = [
        ("turn on the light", "switch on the lamp", 5.0),
        ("turn on the light", "play music", 0.5),
        ("pizza", "food", 4.5),
        ("hello", "close the door", 1.0),
    ]
    path = tmp_path / "sts.jsonl"
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in pairs))
    report = evaluate_sts(tiny_encoder, path)
    cosines = [tiny_encoder.encode(a) @ tiny_encoder.encode(b) for a, b, _ in pairs]
    assert report["pairs"] == 4
    assert report["pearson"] == pytest.approx(
        np.corrcoef(cosines, [score for *_, score in pairs])[0, 1], abs=1e-6
    )
    assert report["pearson"] > 0.9


def test_one_pair_has_no_correlation(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    path = tmp_path / "sts.jsonl"
    path.write_text('{"a": "x", "b": "y", "score": 1}\n')
    with pytest.raises(PocketIntentError, match="at least 2 pairs"):
        evaluate_sts(tiny_encoder, path)


def test_the_sts_benchmark_is_read(tiny_encoder: StaticEncoder, data_dir: Path) -> None:
    assert evaluate_sts(tiny_encoder, data_dir / "sts/stsb/test.jsonl")["pairs"] == 1379
