import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("torch")
from benchmarks.accuracy.linear_probe import main

WORDS = {"on": ["turn", "light", "lamp", "on"], "music": ["play", "jazz", "song", "hear"]}


def test_each_model_and_data_set_has_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    rows = [
        json.dumps({"text": " ".join(rng.choice(words, 3)), "intent": name})
        for name, words in WORDS.items()
        for _ in range(10)
    ]
    for split in ("train", "test"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows))
    assert main([str(tmp_path), "--model", "tiny", "--teacher", "tiny"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["accuracy"] == second["accuracy"]  # a model may be its own teacher
    assert first["accuracy"]["mean"] > 0.9
