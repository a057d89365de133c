import dataclasses
import json
from pathlib import Path

import pytest

from pocketintent.cli.main import main
from pocketintent.evaluation.public_data.catalogue import PUBLIC_SETS


@pytest.fixture
def queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that serves as the source of the set ``queries``, with one query in each file."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("train", "dev", "test"):
        (folder / f"{name}.tsv").write_text(f"what is {name} ?\t0.4\n")
    original = PUBLIC_SETS["queries"]
    output = dataclasses.replace(original.outputs[0], num_lines=3)
    here = dataclasses.replace(original, base=folder.as_uri(), outputs=(output,))
    monkeypatch.setitem(PUBLIC_SETS, "queries", here)
    return folder


def _run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, list[dict], str]:
    status = main(["data", *map(str, args)])
    captured = capsys.readouterr()
    return status, [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_list_names_home_licence_and_files_of_every_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, lines, words = _run(capsys, "list")
    assert (status, words) == (0, "")
    assert [line["name"] for line in lines] == list(PUBLIC_SETS)
    assert all(line["licence"] and line["homepage"] and line["files"] for line in lines)


def test_fetch_writes_the_files_and_prints_a_line_for_each_set(
    queries: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    status, lines, words = _run(capsys, "fetch", "queries", "queries", "--out", out)
    expected = {
        "name": "queries",
        "downloaded": True,
        "files": {"corpus/queries.txt.gz": 3},
        "as_published": None,
    }
    assert (status, lines) == (0, [expected])
    assert "queries: 3/3 files" in words
    assert (out / "corpus/queries.txt.gz").is_file()
    _, lines, words = _run(capsys, "fetch", "queries", "--out", out)
    assert (lines, words) == ([{**expected, "downloaded": False}], "")
    _, lines, _ = _run(capsys, "fetch", "queries", "--out", out, "--force")
    assert lines == [expected]


def test_lines_that_differ_from_the_published_lines_are_reported(
    queries: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = PUBLIC_SETS["queries"]
    output = dataclasses.replace(here.outputs[0], sha256="0" * 64)
    monkeypatch.setitem(PUBLIC_SETS, "queries", dataclasses.replace(here, outputs=(output,)))
    status, lines, words = _run(capsys, "fetch", "queries", "--out", tmp_path / "data")
    assert (status, lines[0]["as_published"]) == (0, False)
    assert "the lines differ from those behind the published figures" in words


def test_a_failed_fetch_names_the_address_with_status_1(
    queries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(
        "pocketintent.evaluation.public_data.download.time.sleep", lambda seconds: None
    )
    (queries / "dev.tsv").unlink()
    status, lines, words = _run(capsys, "fetch", "queries", "--out", tmp_path / "data")
    assert (status, lines) == (1, [])
    assert f"pocketintent: {queries.as_uri()}/dev.tsv: " in words
    assert list((tmp_path / "data").iterdir()) == []


def test_an_unknown_set_or_no_folder_is_refused_with_status_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for call in (["fetch", "no_such_set", "--out", "x"], ["fetch", "stsb"], []):
        with pytest.raises(SystemExit) as caught:
            main(["data", *call])
        assert caught.value.code == 2
