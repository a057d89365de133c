import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from pocketintent.evaluation.public_data import converters
from pocketintent.evaluation.public_data.catalogue import PUBLIC_SETS, Output
from pocketintent.evaluation.records import read_pairs, read_utterances

OUTPUTS = [output for public_set in PUBLIC_SETS.values() for output in public_set.outputs]


def _convert(
    converter: Callable[[Sequence[Path]], Iterator[str]], folder: Path, *contents: str | bytes
) -> list[str]:
    files = []
    for number, content in enumerate(contents):
        path = folder / f"raw{number}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        files.append(path)
    return list(converter(files))


def test_texts_and_intents_of_two_files_are_joined_line_by_line(tmp_path: Path) -> None:
    lines = _convert(
        converters.labelled_texts,
        tmp_path,
        "what's the spanish word for pasta\n where's  my card, \u00e9h?\u2028 \n",
        "translate\ncard_arrival\n",
    )
    assert lines == [
        '{"text": "what\'s the spanish word for pasta", "intent": "translate"}',
        '{"text": "where\'s  my card, \u00e9h?", "intent": "card_arrival"}',
    ]
    (tmp_path / "out").write_text("\n".join(lines), encoding="utf-8")
    assert [u.intent for u in read_utterances(tmp_path / "out")] == ["translate", "card_arrival"]


def test_unequal_numbers_of_texts_and_intents_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 texts, but 1 intents"):
        _convert(converters.labelled_texts, tmp_path, "a\nb\n", "x\n")


def test_out_of_scope_texts_get_a_null_intent(tmp_path: Path) -> None:
    lines = _convert(converters.out_of_scope_texts, tmp_path, "where is the dipstick\n")
    assert lines == ['{"text": "where is the dipstick", "intent": null}']
    (tmp_path / "out").write_text(lines[0], encoding="utf-8")
    assert read_utterances(tmp_path / "out", out_of_scope=True)[0].intent is None


def test_quoted_commas_and_carriage_returns_of_scored_pairs_are_read(tmp_path: Path) -> None:
    raw = 'A child plays.,"A boy sits, sings and plays.",2.0\r\nOne.,"Say ""two"".",4.75\r\n'
    lines = _convert(converters.scored_pairs, tmp_path, raw)
    (tmp_path / "out").write_text("\n".join(lines), encoding="utf-8")
    pairs = read_pairs(tmp_path / "out")[0]
    assert [(p.a, p.b, p.score) for p in pairs] == [
        ("A child plays.", "A boy sits, sings and plays.", 2.0),
        ("One.", 'Say "two".', 4.75),
    ]


def test_queries_lose_their_rating(tmp_path: Path) -> None:
    lines = _convert(converters.rated_queries, tmp_path, "who is it ?\t0.2\n", "why ?\t1.0\n")
    assert sorted(lines) == ["who is it ?", "why ?"]


def test_repeated_and_short_utterances_of_dialogues_are_dropped(tmp_path: Path) -> None:
    def dialogues(*utterances: str) -> str:
        turns = [{"speaker": "USER", "frames": [], "utterance": text} for text in utterances]
        return json.dumps([{"dialogue_id": "1", "turns": turns}])

    first = dialogues("Book  a\ntable.", "Ok", "Which city?")
    lines = _convert(converters.dialogue_turns, tmp_path, first, dialogues("Which city?", "Yes!"))
    assert sorted(lines) == ["Book a table.", "Which city?", "Yes!"]


def test_messages_of_chats_are_split_into_sentences(tmp_path: Path) -> None:
    message = 'About 5 months old...Do you like cats? "Tell it slant" she said. Just $9?'
    raw = json.dumps({"t_1": {"content": [{"message": message, "agent": "agent_1"}]}})
    assert sorted(_convert(converters.chat_sentences, tmp_path, raw)) == [
        '"Tell it slant" she said.',
        "About 5 months old...Do you like cats?",
        "Just $9?",
    ]


def test_the_utterances_of_customers_are_found_by_the_name_of_their_column(
    tmp_path: Path,
) -> None:
    raw = "conversationId\tturnNumber\tutterance\tslot-labels\tintent\n1\t0\thai\tO\tgreeting\n"
    assert _convert(converters.customer_sentences, tmp_path, raw) == ["hai"]


def test_the_order_of_a_corpus_does_not_depend_on_the_order_of_its_files(tmp_path: Path) -> None:
    parts = ["".join(f"query number {n} of {part} ?\t1.0\n" for n in range(50)) for part in "abc"]
    forwards = _convert(converters.rated_queries, tmp_path, *parts)
    assert forwards == _convert(converters.rated_queries, tmp_path, *reversed(parts))
    assert forwards != sorted(forwards)


@pytest.mark.parametrize(
    ("converter", "raw", "message"),
    [
        (converters.scored_pairs, "a,b\n", "raw0: row 1 has 2 fields instead of 3"),
        (converters.scored_pairs, "a,b,high\n", "raw0: could not convert"),
        (converters.rated_queries, "why ?\n", "raw0: row 1 has 1 fields instead of 2"),
        (converters.dialogue_turns, "<html>", "raw0: Expecting value"),
        (converters.dialogue_turns, '[{"turn": []}]', "raw0: no 'turns'"),
        (converters.dialogue_turns, "[1]", "raw0: "),
        (converters.dialogue_turns, '[{"turns": [{"utterance": null}]}]', "raw0: "),
        (converters.chat_sentences, '{"t": {"content": [{"message": 1}]}}', "raw0: "),
        (converters.chat_sentences, "[]", "raw0: "),
        (converters.customer_sentences, "", "raw0: the first line does not name a column"),
        (converters.customer_sentences, "id\tutterance\n1\n", "raw0: row 2 has no column"),
        (converters.out_of_scope_texts, b"\xff\n", "raw0: 'utf-8' codec"),
    ],
)
def test_a_file_of_unexpected_format_is_named(
    converter: Callable[[Sequence[Path]], Iterator[str]],
    raw: str | bytes,
    message: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(ValueError, match=message):
        _convert(converter, tmp_path, raw)


def test_every_set_writes_its_own_files_and_every_entry_is_complete() -> None:
    paths = [output.path for output in OUTPUTS]
    assert len(set(paths)) == len(paths)
    for public_set in PUBLIC_SETS.values():
        assert public_set.about and public_set.licence
        assert public_set.base.startswith("https://")
        assert public_set.homepage.startswith("https://")
        sources = [source for output in public_set.outputs for source in output.sources]
        assert len(set(sources)) == len(sources)


@pytest.mark.parametrize(
    "output", [output for output in OUTPUTS if output.sha256], ids=lambda output: output.path
)
def test_the_converters_reproduce_the_files_behind_the_figures_byte_for_byte(
    output: Output, data_dir: Path, tmp_path: Path
) -> None:
    published = (data_dir / output.path).read_bytes()
    rows = [json.loads(line) for line in published.splitlines()]
    contents: list[str]
    if "a" in rows[0]:
        quoted = [[f'"{row[key].replace(chr(34), chr(34) * 2)}"' for key in "ab"] for row in rows]
        texts = [f"{a},{b},{row['score']}" for (a, b), row in zip(quoted, rows, strict=True)]
        contents = ["\r\n".join(texts)]
    else:
        contents = ["".join(row["text"] + "\n" for row in rows)]
        if len(output.sources) == 2:
            contents.append("".join(row["intent"] + "\n" for row in rows))
    lines = _convert(output.convert, tmp_path, *contents)
    assert len(lines) == output.num_lines
    assert "".join(line + "\n" for line in lines).encode() == published
