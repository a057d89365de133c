import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.bot.utterances import Utterance, find_warnings, read_labelled
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.template_set import parse_templates

INTENTS = ("lights_on", "lights_off", "music")


def read(path: Path) -> list[Utterance]:
    return read_labelled(path, INTENTS, "bot.json")


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


EXPECTED = [Utterance("lamp on, please", "lights_on"), Utterance("hello", None)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("u.jsonl", '{"text": "lamp on, please", "intent": "lights_on"}\n'),
        ("u.csv", 'text,intent\n"lamp on, please",lights_on\n'),
        ("u.tsv", "lamp on, please\tlights_on\n"),
        ("u.csv", '\ufeff Intent ,id, Text\nlights_on,7,"lamp on, please"\n'),
        ("u.csv", '"lamp on, please", lights_on\r\n'),
        ("utterances", 'text,intent\n"lamp on, please",lights_on\n'),
        ("utterances", '{"text": "lamp on, please", "intent": "lights_on"}\n'),
    ],
)
def test_every_form_gives_the_same_utterances(tmp_path: Path, name: str, content: str) -> None:
    columns = content.partition("\n")[0].count(",")
    is_wide = "id" in content
    none = ",8,hello\n" if is_wide else "hello,\n"
    if content.startswith("{"):
        none = '\n{"text": "hello", "intent": null, "note": 1}\n'
    elif name.endswith("tsv"):
        none = "hello\t \n"
    assert columns
    assert read(write(tmp_path / name, content + none)) == EXPECTED


FIELDS = st.text(st.sampled_from('ab,"\t é\n🙂{'), min_size=1, max_size=6)


@given(
    st.lists(st.tuples(FIELDS, st.sampled_from([*INTENTS, None])), min_size=1, max_size=5),
    st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_every_written_file_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str | None]], suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"labelled.{suffix}"
    with path.open("w", newline="", encoding="utf-8") as file:
        if suffix == "jsonl":
            file.writelines(json.dumps({"text": t, "intent": i}) + "\n" for t, i in rows)
        else:
            writer = csv.writer(file, delimiter="\t" if suffix == "tsv" else ",")
            writer.writerow(["text", "intent"])
            writer.writerows(rows)
    assert read(path) == [Utterance(*row) for row in rows]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("u.csv", "", "no utterances; write lines of"),
        ("u.csv", "text,intent\n", "no utterances"),
        ("u.csv", "hello,\nlamp on\n", "line 2: 1 field instead of 2; .*quote a text"),
        ("u.csv", "text,intent,id\nhello,\n", "line 2: 2 fields instead of 3"),
        ("u.csv", "lamp on lights_on\n", "by a tab, a comma or a semicolon"),
        ("u.csv", "text,intent,x,text\n", "line 1: two columns are named text; keep one"),
        ("u.csv", "utterance,label\n", "line 1: .*its columns must be named text and intent"),
        ("u.csv", f"{'a' * 200_000},\n", "line 1: .*a field has at most 131,072 characters"),
        ("u.csv", '"hello,\n', "line 1: not a valid row"),
        ("u.jsonl", '{"text": "hello"}\n', 'line 1: "intent" must be .*but it is missing'),
        ("u.jsonl", '\n{"text": "a", "intent": ""}\n', "line 2: .*or null for .*found ''"),
        ("u.jsonl", '{"text": "hello", "intent": 3}\n', 'line 1: "intent" .*found 3'),
        ("u.jsonl", '{"text": 3, "intent": null}\n', 'line 1: "text" must be a string'),
        ("u.jsonl", "hello,\n", "line 1: not valid JSON"),
        ("u.jsonl", '["hello"]\n', "is not a JSON object; write one object on each line"),
    ],
)
def test_errors_name_the_file_the_line_and_the_remedy(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(PocketIntentError, match=f"{name}.*{message}"):
        read(write(tmp_path / name, content))


def test_fields_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    path = write(tmp_path / "u.csv", "text;intent\nlamp on, please;lights_on\nhello;\n")
    assert read(path) == [Utterance("lamp on, please", "lights_on"), Utterance("hello", None)]


def test_an_unknown_intent_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    path = write(tmp_path / "u.csv", "hello,\nlamp on,light_on\n")
    message = (
        "u.csv, line 2: bot.json has no intent 'light_on'; the nearest name is 'lights_on'; "
        r"correct the name, or leave the intent empty \(null in JSON lines\)"
    )
    with pytest.raises(PocketIntentError, match=message):
        read(path)
    with pytest.raises(PocketIntentError, match="no intent 'light_on'; correct the name"):
        read_labelled(path, ("order_pizza",), "bot.json")
    with pytest.raises(PocketIntentError, match="no intent 'light_on'; the file has no intents"):
        read_labelled(path, (), "bot.json")


TEMPLATES = parse_templates({"on": ["lamp on"], "off": ["lamp off"]})
ENOUGH = [
    *(Utterance(f"light {n} on", "on") for n in range(10)),
    *(Utterance(f"light {n} off", "off") for n in range(10)),
    *(Utterance(f"door {n}", None) for n in range(10)),
]


def test_utterances_that_are_in_order_have_no_warnings() -> None:
    assert find_warnings(ENOUGH, TEMPLATES) == []


@pytest.mark.parametrize(
    ("utterances", "parts"),
    [
        (ENOUGH[:19] + ENOUGH[20:], ["needs 20 utterances with an intent, and there are 19;"]),
        (ENOUGH[:21], ["needs 10 utterances without an intent, and there is 1;"]),
        (ENOUGH[:10] * 2 + ENOUGH[20:], ["intents without an utterance: off"]),
        (
            [*ENOUGH, Utterance("?!", "on"), Utterance("", "off"), Utterance("", None)],
            ["without a word: 2, such as '?!'; no bot can answer them, so remove them"],
        ),
        (
            [*ENOUGH, Utterance("Light 1, on!", "off"), Utterance("door 1", "on")],
            ["with more than one intent: 2, such as 'light 1 on' (off, on); keep the right one"],
        ),
        (
            [*ENOUGH, Utterance("Lamp on!", "on"), Utterance("lamp off", "on")],
            ["that are templates of their intent: 1, such as 'Lamp on!'; they test nothing"],
        ),
    ],
)
def test_what_makes_the_figures_doubtful_is_a_warning(
    utterances: Sequence[Utterance], parts: list[str]
) -> None:
    warnings = find_warnings(utterances, TEMPLATES)
    assert len(warnings) == len(parts)
    assert all(part in warning for part, warning in zip(parts, warnings, strict=True))


SUBJECT_FILES = {
    "u.csv": "subject,text,intent\n,lamp on,a\nown,lamp shop,\nother,peru,\n,what,\n",
    "u.jsonl": '{"text": "lamp on", "intent": "a"}\n'
    '{"text": "lamp shop", "intent": null, "subject": "own"}\n'
    '{"text": "peru", "intent": null, "subject": "other"}\n'
    '{"text": "what", "intent": null, "subject": null}\n',
}


@pytest.mark.parametrize("name", SUBJECT_FILES)
def test_an_utterance_may_say_whether_it_is_on_the_bots_subject(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(SUBJECT_FILES[name])
    utterances = read_labelled(path, ["a"], "bot.json")
    assert [utterance.subject for utterance in utterances] == [None, "own", "other", None]
    path.write_text(SUBJECT_FILES[name].replace("own", "ours"))
    with pytest.raises(PocketIntentError, match="the subject 'ours' is neither own nor other"):
        read_labelled(path, ["a"], "bot.json")
