import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.speed.ways import FORMATS, GRAPHS, WAYS, make_way
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.templates.files import save_templates

PACKAGES = {"onnx": "onnxruntime", "tflite": "ai_edge_litert"}


@pytest.mark.parametrize("name", WAYS)
def test_every_way_matches_as_the_package_does(
    name: str, exported: Callable[[str], Path], compressed_model: Path, tmp_path: Path
) -> None:
    file_format = FORMATS.get(name) or name.partition("-")[0]
    if file_format in PACKAGES:
        pytest.importorskip(PACKAGES[file_format])
        for graph in GRAPHS:
            if graph.startswith(f"{file_format}-"):
                shutil.copytree(exported(file_format), tmp_path / graph)
    templates = tmp_path / "templates.json"
    save_templates(open_exported(exported("onnx")).templates(), templates)

    way = make_way(name, tmp_path, templates, compressed_model)

    texts = ["please turn the lights on", "lamp off", "play a song", "hi", "qwx"]
    intents = ["lights_on", "lights_off", "play_music", "greet"]
    assert [way.match(text) for text in texts[:4]] == intents
    assert way.match("") == ""
