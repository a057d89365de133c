"""The sources of lines: an interactive prompt, a plain prompt, or a pipe."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pocketintent_demo.session import Session
from pocketintent_demo.style import quote

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

PROMPT = "> "
HINT = "for history, completion and colours while typing: pip install prompt_toolkit"


def converse(session: Session) -> None:
    """Answer lines until they end or the session is finished."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # invalid bytes must not end the session
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        answer_lines(session, sys.stdin)
        return
    print(session.greeting())
    answer_prompts(session, make_reader(session))


def answer_lines(session: Session, lines: Iterable[str]) -> None:
    """Answer each line of a pipe or file; each is repeated above its answer."""
    for line in lines:
        print(f"{PROMPT}{quote(line.strip())[1:-1]}")
        print(session.respond(line), flush=True)
        if session.finished:
            return


def answer_prompts(session: Session, read: Callable[[], str]) -> None:
    """Answer typed lines.

    Args:
        session: Answers the lines.
        read: Returns a typed line; EOFError ends the session, KeyboardInterrupt discards the
            line.
    """
    while not session.finished:
        try:
            line = read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if line.strip():
            print(session.respond(line))


def make_reader(session: Session) -> Callable[[], str]:
    """Return prompt_toolkit's prompt if it is installed, otherwise Python's, after a hint."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.formatted_text import ANSI
        from prompt_toolkit.output import ColorDepth
    except ImportError:
        print(HINT)
        return lambda: input(PROMPT)
    prompt: PromptSession[str] = PromptSession(
        completer=make_completer(session),
        color_depth=None if session.style.colours else ColorDepth.DEPTH_1_BIT,
    )
    return lambda: prompt.prompt(ANSI(session.style.intent(PROMPT)))


def make_completer(session: Session) -> Completer:
    """Return a completer for prompt_toolkit that asks the session."""
    from prompt_toolkit.completion import Completer, Completion

    class SessionCompleter(Completer):
        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterable[Completion]:
            line = document.text_before_cursor
            start = len(line.partition(" ")[2]) if " " in line else len(line)
            return [Completion(word, start_position=-start) for word in session.complete(line)]

    return SessionCompleter()
