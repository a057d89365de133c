from pathlib import Path

import numpy as np
import pytest

from pocketintent.bot.confusion import ConfusionMatrix
from pocketintent.bot.matrix_plot import plot_confusion

pytest.importorskip("matplotlib")


def test_the_picture_has_the_names_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "matrix.svg"
    counts = np.array([[3, 1, 0], [0, 0, 0], [0, 0, 2]], np.intp)
    plot_confusion(ConfusionMatrix(["pay $5_to$", "off"], counts), "bot $\\x$", path)
    picture = path.read_text("utf-8")
    for text in ("pay $5_to$", "off", "(no intent)", "(refused)", "bot $\\x$", "expected"):
        assert f"<!-- {text} -->" in picture


def test_a_matrix_of_many_intents_is_drawn_from_the_confused_ones(tmp_path: Path) -> None:
    path = tmp_path / "matrix.svg"
    counts = np.diag([1] * 101).astype(np.intp)
    counts[5, 6] = 4
    plot_confusion(ConfusionMatrix([f"i{n}" for n in range(100)], counts), "bot", path)
    picture = path.read_text("utf-8")
    assert "<!-- i5 -->" in picture and "<!-- i6 -->" in picture
    assert "<!-- i7 -->" not in picture
