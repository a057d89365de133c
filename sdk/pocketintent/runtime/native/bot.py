"""A bot that the core in C matches with; everything else about it is NumPy's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import MissingExtraError, PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile, map_file, read_model
from pocketintent.runtime.native.package import check_kind, find_package, open_core

# The bot file is imported where it is used, as in `opening`.


class NativeBot:
    """What a recogniser needs of a bot, with the answers of the core.

    It never changes, as :class:`Bot`. The core reads a bot file: the one that was opened, or after
    an edit the bytes of the one that would be saved, made when a text is matched next.

    Args:
        bot: The bot of the NumPy runtime, or the bot file, which becomes one when it is needed.
        core: The core's bot of the same content; None to open it when it is needed.
    """

    def __init__(self, bot: Bot | ModelFile, core: Any = None) -> None:
        if isinstance(bot, Bot):
            self.numpy, self.templates = bot, bot.templates
        else:
            from pocketintent.runtime.bot_file import templates_of

            self.model, self.templates = bot, templates_of(bot)
        if core is not None:
            self.core = core

    # What was not given is made on first use. Two threads that are the first both make it.

    @cached_property
    def numpy(self) -> Bot:
        """The same bot in the NumPy runtime, for edits and explanations."""
        from pocketintent.runtime.bot_file import bot_of

        return bot_of(self.model, self.templates)

    @cached_property
    def core(self) -> Any:
        """The same bot in the core."""
        return _core_of(self.numpy, find_package())

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle contains the NumPy bot, and opens the core again."""
        return _restore, (self.numpy,)

    def match(self, text: str) -> Match:
        """The match of a text; see :meth:`IntentRecognizer.match`."""
        found = self.core.match(text)
        other = found.runner_up and Candidate(*found.runner_up)
        intent, score, template, nearest, _, margin, reason = found
        return Match(intent, score, template, nearest, other, margin, reason)

    def match_batch(self, texts: Iterable[str]) -> list[Match]:
        """The matches of several texts; see :meth:`IntentRecognizer.match_batch`."""
        return [self.match(text) for text in texts]

    def rank(self, text: str, limit: int) -> list[Candidate]:
        """The best intents of a text; see :meth:`IntentRecognizer.rank`."""
        return [Candidate(*candidate) for candidate in self.core.rank(text, limit)]

    def read(self, text: str) -> str:
        """The text as it is encoded and scored; see :meth:`IntentRecognizer.read`."""
        read: str = self.core.read(text)
        return read


AnyBot = Bot | NativeBot


def numpy_bot(bot: AnyBot) -> Bot:
    """The bot in the NumPy runtime."""
    return bot.numpy if isinstance(bot, NativeBot) else bot


def open_native(path: Path) -> tuple[NativeBot, Mapping[str, Any]]:
    """Open a bot file with the core alone, which verifies all of it; also the model's manifest.

    PocketIntentError if the package is not installed, or the core cannot run the file. What is
    wrong with a damaged file is told better by :func:`load_bot`.
    """
    package = find_package()
    # One map for both, so that they read the same file even if it is replaced meanwhile.
    content = map_file(path)
    model = read_model(path, content, is_verified=True)
    check_kind(package, model.manifest["kind"])
    return NativeBot(model, open_core(package, content, str(path))), model.manifest


def native_bot(bot: Bot) -> NativeBot:
    """The bot with the core; PocketIntentError as of :func:`open_native`."""
    package = find_package()
    if not isinstance(bot.encoder, ModelEncoder):
        raise PocketIntentError("the backend native does not run exported graphs")
    check_kind(package, bot.encoder.kind)
    return NativeBot(bot, _core_of(bot, package))


def _core_of(bot: Bot, package: Any) -> Any:
    from pocketintent.runtime.bot_file import bot_content

    return open_core(package, bot_content(bot), "this bot")


def _restore(bot: Bot) -> AnyBot:
    """A copied bot, with the core if this process has it."""
    try:
        find_package()
    except MissingExtraError:
        return bot
    return NativeBot(bot)
