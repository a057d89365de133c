from pathlib import Path

import pytest

from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.out_of_scope import evaluate_calibration
from pocketintent.evaluation.intents.reliability_plot import plot_reliability, reliability
from pocketintent.evaluation.intents.scored_texts import NUM_BINS
from pocketintent.runtime.encoders.static import StaticEncoder


def make_bin(**values: float) -> dict[str, float | None]:
    empty = {"in_scope": 0, "right": 0, "out_of_scope": 0}
    return {**empty, "mean_score": None, "mean_outside_score": None, **values}


def test_out_of_scope_texts_weigh_a_third_together() -> None:
    bins = [make_bin() for _ in range(NUM_BINS)]
    bins[2] = make_bin(out_of_scope=5, mean_outside_score=0.2)
    bins[8] = make_bin(in_scope=10, right=9, mean_score=0.9, out_of_scope=5, mean_outside_score=0.8)
    scores, shares = reliability(bins)
    assert scores == pytest.approx([0.2, (2 / 3 * 0.9 + 1 / 6 * 0.8) / (5 / 6)])
    assert shares == pytest.approx([0, 2 / 3 * 0.9 / (5 / 6)])


def test_the_plot_has_two_panels_for_each_set(
    tiny_encoder: StaticEncoder, intent_dir: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    data = load_intent_data(intent_dir)
    report = evaluate_calibration(tiny_encoder, data, ["open the gate"], shots=[1, 2], runs=1)
    plot_reliability([report, report], tmp_path / "reliability.svg")
    assert (tmp_path / "reliability.svg").read_text().count('id="axes_') == 4
