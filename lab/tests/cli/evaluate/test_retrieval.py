import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("sklearn")
from pocketintent.cli.main import build_parser, main

NOUNS = ["lamp", "jazz", "pizza", "door", "light", "song", "pasta", "gate"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "retrieval"
    folder.mkdir()
    documents = [
        {"doc": n, "title": noun, "text": f"the {noun} is on"} for n, noun in enumerate(NOUNS)
    ]
    questions = [
        {"question": f"{verb} {noun}", "doc": n}
        for n, noun in enumerate(NOUNS)
        for verb in ("turn", "play", "open")
    ]
    for name, rows in (("documents", documents), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_every_system_has_a_row(
    data: Path, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    ensemble, plot = tmp_path / "twice.json", tmp_path / "questions.png"
    ensemble.write_text(json.dumps({"mixtures": [{"source": str(tiny_model)}] * 2}))
    call = ["evaluate", "retrieval", data, "--source", tiny_model, "--ensemble", ensemble]
    assert main([*map(str, call), "--epochs", "1", "--plot", str(plot)]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    notes = captured.err.splitlines()
    assert all(note.startswith(("systems: ", "plot: ")) for note in notes), "one progress bar"
    assert report["parts"]["test"] == {"documents": 2, "questions": 6}
    rows = report["rows"]
    assert [row["system"] for row in rows[:2]] == ["TF-IDF", "BM25"]
    assert rows[0]["recall@1"] == rows[1]["recall@1"] == 1
    assert [(r["system"], r["idf"], r["network"], r["dim"]) for r in rows[2:]] == [
        (system, idf, network, dim)
        for system, dim in (("tiny.safetensors", 32), ("twice", 64))
        for idf in (False, True)
        for network in ("none", "fcrr", "convrr")
    ]
    assert all(row["recall@1"] <= row["recall@3"] <= row["recall@5"] == 1 for row in rows)
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--networks none none", "--networks: none is given twice"),
        ("--source tiny tiny", "--source: tiny is given twice"),
        ("--networks none --width 3", "--width has no effect with --networks none"),
        ("--networks none --precision float16", "--precision has no effect with --networks none"),
    ],
)
def test_a_bad_call_is_explained(
    words: str, message: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", "retrieval", str(data), *words.split()])
    assert message in capsys.readouterr().err


def test_the_networks_are_named_by_one_option(data: Path) -> None:
    args = build_parser().parse_args(["evaluate", "retrieval", str(data)])
    assert args.networks == ["none", "fcrr", "convrr"]
    assert not hasattr(args, "network")


def test_without_embeddings_only_the_lexical_systems_are_measured(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "retrieval", str(data), "--split", "valid"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 2
    assert main(["evaluate", "retrieval", str(data), "--plot", str(data / "a.png")]) == 1
    assert "--plot requires an embedding" in capsys.readouterr().err
