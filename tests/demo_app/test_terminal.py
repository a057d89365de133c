import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent_demo.__main__ import main
from pocketintent_demo.session import Session
from pocketintent_demo.style import Style
from pocketintent_demo.terminal import answer_lines, answer_prompts, make_completer, make_reader

TEMPLATES = '{"on": ["lamp on"], "off": ["lamp off"]}'


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def arguments(tmp_path: Path, tiny_model: Path) -> list[str]:
    path = tmp_path / "bot.json"
    path.write_text(TEMPLATES)
    return ["--templates", str(path), "--model", str(tiny_model)]


@pytest.fixture
def session(arguments: list[str]) -> Session:
    return Session(arguments[1], arguments[3])


def _typed(*events: object) -> Callable[[], str]:
    """A prompt at which these lines are typed; an exception is a key such as Ctrl-C."""
    remaining = iter(events)

    def read() -> str:
        event = next(remaining, EOFError())
        if isinstance(event, BaseException):
            raise event
        return str(event)

    return read


def test_each_line_of_a_pipe_is_repeated_and_answered(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_lines(session, ["lamp on\n", "\n", ":foo\n", "lamp off"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("> ")] == [
        "> lamp on",
        "> ",
        "> :foo",
        "> lamp off",
    ]
    assert lines[1].startswith("on  ")
    assert lines[lines.index("> lamp off") + 1].startswith("off  ")


def test_quit_ends_a_pipe_early(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    answer_lines(session, [":quit\n", "lamp on\n"])
    assert capsys.readouterr().out == "> :quit\nbye\n"


def test_typed_lines_are_answered_until_the_input_ends(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_prompts(session, _typed("lamp on", KeyboardInterrupt(), "   ", "lamp off"))
    starts = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert starts == ["on", "nearest", "runner-up", "off", "nearest", "runner-up"]


def test_quit_ends_the_prompt(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    answer_prompts(session, _typed(":quit", AssertionError("a line was read after :quit")))
    assert capsys.readouterr().out == "bye\n"


def test_without_prompt_toolkit_there_is_a_plain_prompt_and_a_hint(
    session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.setattr("builtins.input", lambda prompt: f"typed at {prompt}")
    read = make_reader(session)
    assert "pip install" in capsys.readouterr().out
    assert read() == "typed at > "


def test_prompt_toolkit_reads_lines(session: Session) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("lamp on\r:intents\r")
        read = make_reader(session)
        assert [read(), read()] == ["lamp on", ":intents"]


@pytest.mark.parametrize(
    ("line", "start", "words"),
    [(":rem", -4, [":remove"]), (":remove o", -1, ["off", "on"]), ("lamp o", -6, [])],
)
def test_prompt_toolkit_completes_what_the_session_says(
    session: Session, line: str, start: int, words: list[str]
) -> None:
    found = list(make_completer(session).get_completions(Document(line), CompleteEvent()))
    assert [(c.text, c.start_position) for c in found] == [(word, start) for word in words]


@pytest.mark.parametrize(
    ("environment", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_need_a_terminal_that_wants_them(
    environment: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert Style.for_stream(_Terminal()).colours is colours
    assert Style.for_stream(io.StringIO()).colours is False


def test_the_program_answers_a_pipe_in_any_encoding_and_ends(arguments: list[str]) -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n"
            "from pocketintent_demo.__main__ import main; sys.exit(main())",
            *arguments,
        ],
        input=b"lamp on\ncaf\xe9 \xf0\x9f\x92\xa1\n:quit\n",
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        check=False,
    )
    assert run.returncode == 0
    assert run.stderr == b""
    assert b"\non  " in run.stdout and run.stdout.endswith(b"> :quit\nbye\n")
    assert b"\x1b" not in run.stdout


def test_a_file_that_cannot_be_used_is_one_line_on_stderr(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--templates", str(tmp_path / "none.json")]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("pocketintent-demo: ") and captured.err.count("\n") == 1


def test_a_warning_is_one_line_on_stderr(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tiny_encoder: StaticEncoder,
    tmp_path: Path,
) -> None:
    templates, model = tmp_path / "bot.json", tmp_path / "model.safetensors"
    templates.write_text('{"language": "de", "intents": {"an": {"templates": ["licht an"]}}}')
    manifest, tensors = tiny_encoder.to_model_file_parts()
    save_model(model, manifest | {"languages": ["en"]}, tensors)
    monkeypatch.setattr("sys.stdin", io.StringIO(":quit\n"))
    assert main(["--templates", str(templates), "--model", str(model)]) == 0
    words = capsys.readouterr().err
    assert words.startswith("pocketintent-demo: warning: the set's language is 'de'")
    assert words.count("\n") == 1
