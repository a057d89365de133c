import json

import pytest

from benchmarks.accuracy.edited_bots import main


def test_every_utterance_is_compared_after_each_edit(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--models", "tiny", "--edits", "1"])
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["answers"] == 422 and line["largest"] < 0.01
