"""The command measures a page of Chromium."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.web import plan
from benchmarks.web.command import main
from pocketintent.training.corpora.written_bots import WrittenBot

DIST = plan.ROOT / "sdk" / "web" / "dist"
BOT = {
    "intents": {
        "on": {"templates": ["lights on", "turn on the lamp"], "phrasings": ["lamp on"]},
        "off": {"templates": ["lights off", "turn off the lamp"], "phrasings": ["lamp off"]},
    },
    "foreign": {"other_subjects": ["how long does a refund take"]},
}


def missing() -> str | None:
    """What the command needs and this machine lacks."""
    if shutil.which("node") is None:
        return "node is not installed"
    if "CHROMIUM" not in os.environ and shutil.which("chromium") is None:
        return "no Chromium: apt-get install chromium"
    if not (DIST / "index.js").is_file():
        return "the npm package is not built: make web"
    if not (plan.FOLDER / "node_modules").is_dir():
        return "no packages of the benchmark: npm ci --ignore-scripts, in benchmarks/web"
    return None


def test_a_page_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lacks = missing()
    if lacks is not None:
        pytest.skip(lacks)
    (tmp_path / "home.json").write_text(json.dumps(BOT))
    (tmp_path / "texts.txt").write_text("lamp on\nis it cold outside\n")
    places = ["--bots", tmp_path, "--texts", tmp_path / "texts.txt", "--cache", tmp_path / "cache"]
    counts = ["--visits", "1", "--rounds", "1"]
    assert main(["--systems", "tiny", *map(str, places), *counts]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["measure"], []).append(line)
    (size,) = found["size"]
    model = plan.ROOT / "sdk" / "pocketintent" / "assets" / "tiny.safetensors"
    assert 0 < size["bytes"] - model.stat().st_size < 400_000
    assert size["brotli"] < size["gzip"] < size["bytes"] == sum(f["bytes"] for f in size["files"])
    (visit,) = found["visit"]
    assert all(0 < visit[name]["least"] < 60_000 for name in ("ready_ms", "first_ms", "load_ms"))
    lasting, asking = found["second_visit"]
    assert (lasting["second"]["requests"], asking["second"]["bytes"]) == (0, 0)
    assert asking["second"]["requests"] == asking["first"]["requests"] == len(size["files"]) + 1
    (processor,) = found["processor_ms"]
    assert all(0 < processor[name]["least"] < 60_000 for name in ("open", "first"))
    (query,) = found["query_us"]
    assert query["processor_us"] > 0
    assert all(query[name]["median"] > 0 for name in ("first", "seen", "unseen"))
    (answers,) = found["answers"]
    assert (answers["phrasings"], answers["in_front"]) == (2, 2)


def test_a_package_that_was_not_built_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert main(["--dist", str(tmp_path)]) == 1
    assert "`make web` builds the package" in capsys.readouterr().err


def test_a_system_that_is_unknown_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--systems", "tiny,rasa"])
    assert "unknown rasa; there are default, fast" in capsys.readouterr().err


def test_texts_are_read_from_each_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('text,intent\n"on, please",on\n')
    (tmp_path / "b.jsonl").write_text('{"text": "off", "intent": "off"}\n')
    (tmp_path / "c.txt").write_text("on\noff\n")
    assert plan.read_texts(tmp_path / "a.csv") == ["on, please"]
    assert plan.read_texts(tmp_path / "b.jsonl") == ["off"]
    assert plan.read_texts(tmp_path / "c.txt") == ["on", "off"]


def test_an_export_has_a_folder_for_each_bot() -> None:
    bot = WrittenBot("home", {}, {})
    (entry,) = plan.describe_systems(["onnx-fast"], [bot])
    assert entry["options"] == {"folder": "/exports/smart_home-fast"}
    assert entry["bots"] == {"home": {"folder": "/exports/home-fast"}}
