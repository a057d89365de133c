from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from commands import compress_calls
from commands.compress_calls import read
from models.random_contexts import random_context
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent_lab.cli.main import build_parser

call = functools.partial(compress_calls.call, build=build_parser)


def test_the_sweep_writes_table_csv_and_plot_and_resumes(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    out = data / "sweep"
    grid = ("--sub-dims", "2,3", "--codebook-sizes", "4,8", "--sts", data / "sts.jsonl")
    assert call("sweep", model, *grid, "--out", out) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["cells"]) == 16
    assert "16/16 rotated sub_dim 3 codebook 8" in printed.err
    for name in ("sweep.json", "sweep.csv", "sweep.png"):
        assert (out / name).stat().st_size > 0
    assert call("sweep", model, *grid, "--out", out) == 0
    assert "16/16" not in capsys.readouterr().err


def test_a_sweep_is_not_continued_on_other_data_of_the_same_names(model: Path, data: Path) -> None:
    pairs, folder = data / "sts.jsonl", data / "commands"
    options = ("--sub-dims", 6, "--codebook-sizes", 2, "--variants", "shared", "--no-plot")
    probe = ("--sts", pairs, "--intents", folder, "--shots", 2, "--runs", 1)
    sweep = ("sweep", model, *options, *probe, "--out", data / "sweep")
    assert call(*sweep) == call(*sweep) == 0
    for path in (pairs, folder / "valid.jsonl"):
        lines = path.read_text()
        path.write_text(lines.replace("taxi", "cab"))
        with pytest.raises(PocketIntentError, match="another model, data or setting"):
            call(*sweep)
        path.write_text(lines)


def test_a_default_sub_dim_that_a_network_cannot_read_is_left_out_with_a_note(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = random_context(12, np.random.default_rng(0))
    save_model(model, *ContextualEncoder(read(model), network).to_model_file_parts())
    options = ("--codebook-sizes", 2, "--variants", "shared", "--no-plot")
    probe = ("--sts", data / "sts.jsonl", "--out", data / "sweep")
    assert call("sweep", model, *options, *probe) == 0
    printed = capsys.readouterr()
    assert [cell["sub_dim"] for cell in json.loads(printed.out)["cells"]] == [2, 3, 4, 6]
    assert "do not divide the dimensions of the words: sub_dim 5, 10" in printed.err


def test_a_quantised_model_is_not_swept(compressed: Path, data: Path) -> None:
    for model, path in ((compressed, compressed), ("tiny", find_model("tiny"))):
        sweep = ("sweep", model, "--sts", data / "sts.jsonl", "--out", data / "sweep")
        with pytest.raises(PocketIntentError, match=f"{path} is already quantised"):
            call(*sweep)
    assert not (data / "sweep").exists()


def test_a_sweep_without_anything_to_measure_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="needs --sts FILE or --intents DIR"):
        call("sweep", model, "--out", tmp_path / "sweep")


def test_a_bot_file_is_not_swept(bot: Path, data: Path) -> None:
    with pytest.raises(PocketIntentError, match="is a bot file"):
        call("sweep", bot, "--out", data / "sweep", "--sts", data / "sts.jsonl")
