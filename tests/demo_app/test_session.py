import re
from itertools import count
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent.runtime.templates.files import load_templates
from pocketintent_demo.session import Session
from pocketintent_demo.style import Style, quote

TEMPLATES = """{
  "threshold": 0.6, "margin": 0.05,
  "intents": {
    "lights_on": {"templates": ["turn on the light", "lamp on"]},
    "lights_off": {"templates": ["turn off the light", "lamp off"]},
    "order": {"templates": ["order a pizza"], "threshold": 0.9}
  }
}"""


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "bot.json"
    path.write_text(TEMPLATES)
    return path


@pytest.fixture
def session(templates: Path, tiny_model: Path) -> Session:
    ticks = count()
    return Session(str(templates), str(tiny_model), clock=lambda: next(ticks) * 142e-6)


def test_the_demo_answers_as_the_readme_shows() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    text, shown = readme.partition("    > ")[2].split("\n", 1)
    session = Session("smart_home", clock=lambda: 0.0)
    time, answer = re.compile(r"\d+ µs"), session.respond(text).splitlines()
    assert len(answer) == 3
    for line, expected in zip(answer, shown.splitlines()[:3], strict=True):
        assert time.sub("", f"    {line}") == time.sub("", expected)


def test_an_answer_has_intent_score_template_runner_up_and_time(session: Session) -> None:
    first, nearest, runner_up = session.respond("please switch the lamp off").splitlines()
    assert re.fullmatch(r"lights_off  [01]\.\d{3}  142 µs", first)
    assert nearest.split()[:2] == ["nearest", "lights_off"] and '"' in nearest
    assert runner_up.split()[:2] == ["runner-up", "lights_on"] and "behind" in runner_up


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("xyzzy", "knows no word of the text"),
        ("", "knows no word of the text"),
        ("the freezing silence", "below the threshold"),
    ],
)
def test_a_refusal_says_why(session: Session, text: str, reason: str) -> None:
    answer = session.respond(text)
    assert answer.startswith("no intent: ")
    assert reason in answer


def test_a_lead_within_the_margin_is_refused_with_both_intents(session: Session) -> None:
    session.respond(":margin 1")
    answer = session.respond("switch the lamp off")
    assert answer.startswith("no intent: lights_off is only 0.")
    assert "ahead of lights_on; the margin is 1.000" in answer
    assert "too little" in session.respond(":why")


def test_an_intents_own_threshold_is_the_one_that_is_named(session: Session) -> None:
    session.respond(":margin 0")
    answer = session.respond("hungry gate off")
    assert "below the threshold 0.900" in answer
    assert "threshold 0.900" in session.respond(":why")


def test_add_makes_an_intent_that_is_recognised_at_once(session: Session) -> None:
    assert session.respond(":add music play some jazz") == (
        "music now has 1 template; :save FILE saves them"
    )
    assert session.respond("please play a song").startswith("music  ")
    assert "2 templates" in session.respond(":add music put on a song")
    assert "already" in session.respond(":add music put on a song")


def test_remove_takes_an_intent_away(session: Session) -> None:
    assert session.respond(":remove lights_on") == (
        "lights_on is removed; 2 intents with 3 templates left"
    )
    assert "lights_on" not in session.respond(":intents")
    assert "did you mean 'lights_off'" in session.respond(":remove light_off")


def test_removing_all_intents_leaves_a_session_that_says_so(session: Session) -> None:
    for intent in ("lights_on", "lights_off", "order"):
        session.respond(f":remove {intent}")
    assert "no intents yet" in session.respond("lamp on")
    assert "no intents yet" in session.respond(":why")
    assert "no intents yet" in session.respond(":intents")
    session.respond(":add greet hello")
    answer = session.respond("hi")
    assert answer.startswith("greet") and "runner-up" not in answer
    assert "no other intent" in session.respond(":why")


def test_intents_lists_names_counts_examples_and_own_thresholds(session: Session) -> None:
    lines = session.respond(":intents").splitlines()
    assert [line.split()[0] for line in lines] == ["lights_on", "lights_off", "order"]
    assert "2 templates" in lines[0] and '"turn on the light"' in lines[0]
    assert "threshold" not in lines[0] and lines[2].endswith("threshold 0.900")


def test_why_ranks_the_intents_and_compares_with_threshold_and_margin(session: Session) -> None:
    assert "type a sentence first" in session.respond(":why")
    session.respond("switch the lamp off")
    lines = session.respond(":why").splitlines()
    assert lines[0] == '"switch the lamp off" is lights_off'
    assert [line.split()[1] for line in lines[1:4]] == ["lights_off", "lights_on", "order"]
    assert lines[4].startswith('  words  "off" +0.')
    assert "threshold 0.600" in lines[5] and "not below" in lines[5]
    assert "margin 0.050" in lines[6] and "enough" in lines[6]
    session.respond("the freezing silence")
    assert "not checked" in session.respond(":why")


def test_why_explains_the_text_that_follows_it_and_keeps_it(session: Session) -> None:
    session.respond("switch the lamp off")
    answer = session.respond(":why  turn on the light")
    assert answer.startswith('"turn on the light" is lights_on\n')
    assert session.respond(":why") == answer


def test_threshold_and_margin_are_shown_set_and_obeyed(session: Session) -> None:
    assert session.respond(":threshold") == "threshold 0.600; 1 intent with a separate threshold"
    assert session.respond(":margin") == "margin 0.050"
    assert session.respond(":threshold 1").startswith("threshold 1.000")
    assert session.respond("please turn the lamp on").startswith("no intent: ")
    session.respond(":threshold 0")
    session.respond(":margin 0")
    assert not session.respond("light").startswith("no intent")


def test_save_and_load_keep_templates_and_settings(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    session.respond(":add music play a song")
    session.respond(":threshold 0.7")
    session.respond(":margin 0.1")
    assert session.respond(f":save {path}") == f"saved 4 intents with 6 templates to {path}"
    saved = load_templates(path)
    assert (saved.threshold, saved.margin) == (0.7, 0.1)
    assert saved.intents["music"].templates == ["play a song"]
    session.respond(":remove music")
    assert session.respond(f":load {path}") == f"loaded 4 intents with 6 templates from {path}"
    assert session.respond("play jazz").startswith("music")
    assert "18 intents" in session.respond(":load small_talk")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (":", "is not a command; :help"),
        (":foo bar", ":foo is not a command; :help"),
        (":add", ":add INTENT TEXT"),
        (":add music", ":add INTENT TEXT"),
        (":remove", ":remove INTENT"),
        (":threshold high", "high is not a number"),
        (":threshold 1.5", "1.5 is not between 0 and 1"),
        (":threshold nan", "nan is not between"),
        (":margin -1", "-1 is not between 0 and 1"),
        (":save", ":save FILE"),
        (":save /nowhere/at/all.json", "/nowhere/at/all.json: there is no folder /nowhere/at"),
        (":load", ":load FILE"),
        (":load nothing_here", "no such file"),
    ],
)
def test_a_bad_command_is_answered_with_what_to_do_and_changes_nothing(
    session: Session, line: str, words: str
) -> None:
    before = session.recognizer.templates.to_dict()
    assert words in session.respond(line)
    assert session.recognizer.templates.to_dict() == before
    assert not session.finished


def test_a_bad_file_leaves_the_session_as_it_was(session: Session, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"a": [""]}')
    assert "intent 'a', template 1 is empty" in session.respond(f":load {bad}")
    assert session.respond("lamp on").startswith("lights_on")


def test_help_names_every_command_and_quit_ends(session: Session) -> None:
    text = session.respond(":help")
    assert all(command in text for command in session.commands)
    assert session.respond("  :quit ") == "bye"
    assert session.finished


@pytest.mark.parametrize(
    ("decision", "threshold", "margin"),
    [("logistic", "0..1", "0..1"), ("nearest", "-1..1", "0..2")],
)
def test_help_and_limits_have_the_range_of_the_scores(
    session: Session, templates: Path, tiny_model: Path, decision: str, threshold: str, margin: str
) -> None:
    session.recognizer = IntentRecognizer.load(templates, tiny_model, decision=decision)
    text = session.respond(":help")
    assert f"lowest accepted score, {threshold}" in text
    assert f"least lead over the next intent, {margin}" in text
    is_probability = decision == "logistic"
    assert ("not between 0 and 1" in session.respond(":threshold -0.5")) is is_probability
    assert ("not between 0 and 1" in session.respond(":margin 1.5")) is is_probability


def test_commands_intents_and_files_are_completed(session: Session, templates: Path) -> None:
    assert session.complete(":") == list(session.commands)
    assert session.complete(":re") == [":remove"]
    assert session.complete(":remove lights") == ["lights_off", "lights_on"]
    assert session.complete(":add ord") == ["order"]
    assert session.complete(":add order an") == []
    assert session.complete(":why ") == []
    assert session.complete("turn") == []
    (templates.parent / "folder").mkdir()
    assert session.complete(f":load {templates.parent}/") == [
        str(templates),
        str(templates.parent / "folder") + "/",
    ]


def test_colours_are_marks_around_the_same_text(templates: Path, tiny_model: Path) -> None:
    session = Session(str(templates), str(tiny_model), Style(colours=True))
    assert session.respond("lamp on").startswith("\x1b[1;32mlights_on\x1b[0m")
    assert session.respond(":foo").startswith("\x1b[31m")


def test_texts_cannot_steer_the_terminal(session: Session) -> None:
    session.respond(":add evil hello \x1b[2J")
    assert "\x1b" not in session.respond("hello") + session.respond(":intents")
    assert quote("a\nb") == '"a\ufffdb"'


def test_templates_that_do_not_exist_are_an_error(tiny_model: Path) -> None:
    with pytest.raises(PocketIntentError, match="nothing_here"):
        Session("nothing_here", str(tiny_model))


def test_a_bot_file_brings_its_model_for_what_is_loaded_later(
    session: Session, tmp_path: Path
) -> None:
    path, saved = tmp_path / "bot.safetensors", tmp_path / "saved.json"
    assert session.respond(f":save {path}") == f"saved 3 intents with 5 templates to {path}"
    session.respond(f":save {saved}")
    answer = session.respond("please switch the lamp off").splitlines()[1:]

    again = Session(str(path))
    assert again.respond("please switch the lamp off").splitlines()[1:] == answer
    assert again.respond(f":load {saved}").startswith("loaded 3 intents")
    assert again.respond("please switch the lamp off").splitlines()[1:] == answer
    assert session.respond(f":load {path}").startswith("loaded 3 intents")
    with pytest.raises(PocketIntentError, match="contains its model"):
        Session(str(path), "tiny")
    assert session.complete(f":load {tmp_path}/b") == [str(tmp_path / "bot.json"), str(path)]


def test_a_text_that_is_refused_word_for_word_is_shown(session: Session) -> None:
    assert session.respond(":none lamp, never mind") == (
        "1 text without an intent; :save FILE saves them"
    )
    assert session.respond(":except lights_on the lamp on the table") == (
        "lights_on now has 1 counter-example; :save FILE saves them"
    )
    no_intent = 'these are the words of "lamp, never mind", which is for no intent'
    assert no_intent in session.respond("lamp never mind")
    assert f"refused: {no_intent}" in session.respond(":why")
    own = 'of "the lamp on the table", a counter-example of lights_on'
    assert own in session.respond("The lamp on the table!")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (":none", "for example :none thank you"),
        (":except lights_on", "for example :except tea no tea please"),
        (":except lihgts_on lamp", "there is no intent lihgts_on"),
        (":whynot lights_on", "type a sentence first"),
    ],
)
def test_commands_without_what_they_need_say_what_to_write(
    session: Session, command: str, answer: str
) -> None:
    assert answer in session.respond(command)


def test_whynot_explains_the_score_of_another_intent(session: Session) -> None:
    session.respond("switch the lamp off")
    first, words = session.respond(":whynot lights_on").splitlines()
    assert first.startswith("lights_on  0.") and words.startswith("  words  ")
    assert "known: lights_off, lights_on, order" in session.respond(":whynot lihgts_on")
    session.respond("xyzzy")
    assert "knows no word" in session.respond(":whynot lights_on")


def test_a_sentence_that_may_be_meant_as_a_command_shows_the_command(session: Session) -> None:
    assert session.respond("Quit.").endswith("  :quit: leave (Ctrl-D does too)")
    assert not session.finished
    assert ":help: " in session.respond("help")
    assert ":quit" not in session.respond("lamp on")


def test_the_greeting_tells_the_backend() -> None:
    assert " from smart_home, backend numpy. Type" in Session("smart_home", "tiny").greeting()
