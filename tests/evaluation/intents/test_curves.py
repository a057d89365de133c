import json
from pathlib import Path

import pytest

from pocketintent.evaluation.intents.curves import ResultFile, learning_curves
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.line_plot import plot_curves
from pocketintent.evaluation.intents.systems import EncoderSystem, System
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError


class Interrupted(Exception):
    pass


def test_an_interrupted_run_continues_with_the_same_results(
    tiny_encoder: StaticEncoder, intent_dir: Path, tmp_path: Path
) -> None:
    data = load_intent_data(intent_dir)
    systems = {"ours": lambda: EncoderSystem(tiny_encoder)}
    expected = learning_curves(systems, data, shots=[1, 2, 3], runs=2)
    path = tmp_path / "out.json"
    done: list[str] = []

    def stop_at_third(name: str) -> None:
        done.append(name)
        if len(done) == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        learning_curves(
            systems,
            data,
            shots=[1, 2, 3],
            runs=2,
            results=ResultFile(path, {"runs": 2}),
            progress=stop_at_third,
        )
    done.clear()
    results = ResultFile(path, {"runs": 2})
    resumed = learning_curves(
        systems, data, shots=[1, 2, 3], runs=2, results=results, progress=done.append
    )
    assert resumed == expected
    assert (
        done == ["ours"] * 4
    )  # the first number of shots is finished: its two draws are not repeated
    assert list(tmp_path.iterdir()) == [path]


def test_complete_results_create_no_system(
    tiny_encoder: StaticEncoder, intent_dir: Path, tmp_path: Path
) -> None:
    data = load_intent_data(intent_dir)
    results = ResultFile(tmp_path / "out.json", {})
    ours = {"ours": lambda: EncoderSystem(tiny_encoder)}
    expected = learning_curves(ours, data, shots=[2], runs=1, results=results)

    def never() -> System:
        raise AssertionError("created again")

    again = ResultFile(tmp_path / "out.json", {})
    assert learning_curves({"ours": never}, data, shots=[2], runs=1, results=again) == expected


def test_results_of_other_settings_and_foreign_files_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    ResultFile(path, {"runs": 2}).add("key", [])
    with pytest.raises(PocketIntentError, match="another --out"):
        ResultFile(path, {"runs": 3})
    for content in ("", "[]", "3", '{"settings": {}}', json.dumps({"settings": {}, "groups": 3})):
        path.write_text(content)
        with pytest.raises(PocketIntentError, match="no results"):
            ResultFile(path, {})


def test_an_error_of_writing_names_the_file_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "none" / "out.json"
    with pytest.raises(FileNotFoundError, match="there is no folder") as caught:
        ResultFile(path, {}).add("key", [])
    assert caught.value.filename == str(path)


def test_plot_has_a_panel_for_each_set_and_measure(
    tiny_encoder: StaticEncoder, intent_dir: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    data = load_intent_data(intent_dir)
    systems = {name: lambda: EncoderSystem(tiny_encoder) for name in ("ours", "theirs")}
    report = learning_curves(systems, data, shots=[1, 3], runs=2)
    plot_curves([report, report], tmp_path / "curves.svg")
    picture = (tmp_path / "curves.svg").read_text()
    assert picture.count('id="axes_') == 4
    plot_curves([report], tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
