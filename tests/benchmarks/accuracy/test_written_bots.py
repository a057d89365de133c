import json
from pathlib import Path

import pytest

from benchmarks.accuracy.written_bots import FOLDER, GROUPS, adapt, main, open_teacher
from pocketintent import load_encoder
from pocketintent.runtime.templates.files import load_templates

CORPUS = ["can i book a table", "what is on the menu", "i am late", "hello there", "see you soon"]


def test_each_phrasing_is_counted_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "tiny"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["bots"], line["phrasings"], line["foreign"]) for line in lines] == [
        ("seen", 94, 40),
        ("unseen", 72, 24),
        ("later", 144, 48),
    ]
    for line in lines:
        assert line["right"] + line["refused"] + line["other"] == line["phrasings"]
        assert line["right"] <= line["in_front"] <= line["phrasings"]
        assert line["accepted"] <= line["foreign"]


def test_a_margin_refuses_more(capsys: pytest.CaptureFixture[str]) -> None:
    refused = []
    for margin in ("0", "2"):
        assert main(["--model", "tiny", "--margin", margin]) == 0
        refused.append(
            [json.loads(line)["refused"] for line in capsys.readouterr().out.splitlines()]
        )
    assert all(few < many for few, many in zip(*refused, strict=True))
    assert refused[1] == [94, 72, 144]


def test_fewer_templates_and_no_names_answer_less(capsys: pytest.CaptureFixture[str]) -> None:
    right = []
    for options in ([], ["--templates", "1"], ["--templates", "1", "--no-names"]):
        assert main(["--model", "tiny", *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        right.append(sum(json.loads(line)["right"] for line in lines))
    assert right == sorted(right, reverse=True) and len(set(right)) == 3


def test_a_teacher_gets_a_background(tiny_model: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "chats.txt"
    corpus.write_text("\n".join(CORPUS))
    teacher = open_teacher(tiny_model, [corpus])
    assert teacher.background is not None
    assert teacher.dim == load_encoder(tiny_model).dim


def test_a_model_is_adapted_to_the_texts_of_a_bot() -> None:
    templates, tiny = load_templates(FOLDER / "gym.json"), load_encoder("tiny")
    adapted = adapt(tiny, templates, load_encoder("default"))
    texts = templates.all_texts()
    similarities = (adapted.encode_batch(texts) * tiny.encode_batch(texts)).sum(axis=1)
    assert adapted.dim == tiny.dim and (similarities < 0.9999).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--teacher", "minilm"], "--teacher requires --corpus or --adapt"),
        (["--adapt"], "--adapt requires --teacher"),
    ],
)
def test_a_teacher_requires_a_corpus(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(options)
    assert message in capsys.readouterr().err


def test_each_bot_is_in_one_group() -> None:
    bots = sorted(path.stem for path in FOLDER.glob("*.json"))
    assert sorted(bot for group in GROUPS.values() for bot in group) == bots
