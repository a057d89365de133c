from pathlib import Path
from typing import Any

import orjson
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.written_bots import WrittenIntent, read_bot

BOT: dict[str, Any] = {
    "bot": "a lamp",
    "intents": {
        "on": {"templates": ["light on"], "phrasings": ["it is dark in here"]},
        "off": {"templates": ["light off"]},
    },
    "foreign": {"own_subject": ["which bulb fits"], "other_subjects": []},
}


def written(folder: Path, content: object) -> Path:
    path = folder / "lamp.json"
    path.write_bytes(b"\xef\xbb\xbf" + orjson.dumps(content))
    return path


def test_a_bot_is_read(tmp_path: Path) -> None:
    bot = read_bot(written(tmp_path, BOT))
    assert bot.name == "lamp"
    assert bot.intents["on"] == WrittenIntent(["light on"], ["it is dark in here"])
    assert bot.intents["off"].phrasings == []
    assert bot.foreign == BOT["foreign"]
    assert bot.queries() == ["it is dark in here", "which bulb fits"]
    assert bot.template_file()["intents"]["on"] == {"templates": ["light on"]}
    assert read_bot(written(tmp_path, {"intents": BOT["intents"]})).foreign == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], r"lamp\.json: 'intents' must be a JSON object"),
        ({"intents": {}}, r"lamp\.json: \"intents\" is empty"),
        ({"intents": {"on": []}}, r"lamp\.json, intent 'on': 'on' must be a JSON object"),
        ({"intents": {"on": {"templates": []}}}, "intent 'on': there is no template"),
        ({"intents": {"on": {"templates": ["a", 1]}}}, "'templates' must be a list of texts"),
        ({"intents": {"on": {"templates": ["a", " "]}}}, "'templates' must be a list of texts"),
        (BOT | {"foreign": {"x": "text"}}, r"lamp\.json, foreign: 'x' must be a list of texts"),
    ],
)
def test_a_bad_bot_is_refused_with_the_place(content: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match=message):
        read_bot(written(tmp_path, content))


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lamp.json"
    path.write_text("{")
    with pytest.raises(PocketIntentError, match=r"lamp\.json: not JSON"):
        read_bot(path)
    with pytest.raises(PocketIntentError, match=r"none\.json: cannot be read"):
        read_bot(tmp_path / "none.json")
