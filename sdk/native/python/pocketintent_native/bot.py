"""An open bot: texts in, matches out, from any number of threads."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from collections.abc import Iterable, Mapping
from ctypes import byref, c_char_p, c_float, c_size_t, c_void_p
from typing import Any

from pocketintent_native.edits import Addition, Texts, encode, encode_path
from pocketintent_native.library import CANDIDATE, MATCH, Message, NativeError, Text, load_library
from pocketintent_native.results import NativeCandidate, NativeMatch

CACHE_BYTES = 16 << 20
"""Most bytes of words, or of decoded templates, that each of the threads at work keeps."""

_NUM_REASONS = 6


class _Scratch:
    """The memory of one call at a time, and the room for its result."""

    def __init__(self, library: Any, bot: int) -> None:
        handle = c_void_p()
        if status := library.scratch_new(bot, CACHE_BYTES, byref(handle)):
            raise NativeError(status)
        self.handle = handle.value
        self.match = ctypes.create_string_buffer(MATCH.size)


class NativeBot:
    """A bot file that the core has opened. It never changes, and any number of threads may use it.

    An edit makes another bot, as in C.

    Args:
        handle: The ``pintent_bot``, which the object closes at its end.
        owner: What has the memory that the core reads, and is kept as long as the bot.
    """

    def __init__(self, handle: int, owner: object = None) -> None:
        self._library, self._handle, self._owner = load_library(), handle, owner
        reasons = map(self._library.reason_text, range(_NUM_REASONS))
        self._reasons = [reason.decode() or None for reason in reasons]
        # A call takes a scratch and puts it back, so that there are as many as calls at once, and
        # one thread always gets the same. Both operations are atomic.
        self._scratches: list[_Scratch] = []
        self._texts: dict[int, str] = {}
        """The texts that belong to the bot, by their addresses, once they were in an answer."""
        end = weakref.finalize(self, _close, self._library, handle, self._scratches)
        end.atexit = False  # a thread may still match, and the process ends anyway

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> NativeBot:
        """Open a bot file by memory map; NativeError says why it cannot be used."""
        return cls._opened("open", encode_path(path))

    @classmethod
    def open_model(cls, path: str | os.PathLike[str]) -> NativeBot:
        """Open a model file as a bot without intents; NativeError says why it cannot be used."""
        return cls._opened("open_model", encode_path(path))

    @classmethod
    def from_memory(cls, address: int, size: int, owner: object) -> NativeBot:
        """Open the content of a bot file, which must stay as it is as long as the bot is open.

        Args:
            address: Where it begins.
            size: Its bytes.
            owner: The object that has the memory.

        Raises:
            NativeError: The content is no bot file, or cannot be used.
        """
        return cls._opened("open_buffer", address, size, owner=owner)

    @classmethod
    def _opened(cls, function: str, *source: Any, owner: object = None) -> NativeBot:
        handle, message = c_void_p(), Message()
        status = getattr(load_library(), function)(*source, None, byref(handle), byref(message))
        if status or handle.value is None:
            raise NativeError(status, message.text.decode("utf-8", "replace"))
        return cls(handle.value, owner)

    def add_intent(
        self,
        name: str,
        templates: Iterable[str] = (),
        threshold: float | None = None,
        counter_examples: Iterable[str] = (),
    ) -> NativeBot:
        """The bot with another intent, or with more texts or a threshold for one that it has.

        This bot stays as it is; both share the file and the model.

        Args:
            name: The intent.
            templates: Its templates, at least one for a new intent.
            threshold: The score from which on this intent is accepted, -1..1; None keeps it.
            counter_examples: Texts that resemble the intent and do not express it.

        Raises:
            NativeError: A name, text or threshold breaks the format.
        """
        own, given, counter = Texts([name]), Texts(templates), Texts(counter_examples)
        addition = Addition(
            own.items[0],
            *(given.address, len(given.items)),
            *(counter.address, len(counter.items)),
            *(0.0 if threshold is None else threshold, threshold is not None),
        )
        return self._edited("add_intent", byref(addition))

    def remove_intent(self, name: str) -> NativeBot:
        """The bot without an intent; NativeError if there is none of this name."""
        data = encode(name)
        return self._edited("remove_intent", data, len(data))

    def set_templates(self, templates: Mapping[str, Any] | str) -> NativeBot:
        """The bot with another template set, fitted as ``pocketintent build`` fits it.

        Args:
            templates: The set in any of its forms, as a mapping or as JSON.

        Raises:
            NativeError: The set cannot be read, or breaks the format.
        """
        data = encode(templates if isinstance(templates, str) else json.dumps(templates))
        return self._edited("set_templates", data, len(data))

    @property
    def templates(self) -> dict[str, Any]:
        """The template set in the long form."""
        form: dict[str, Any] = json.loads(self._written("templates_json"))
        return form

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the bot as a bot file, which appears whole or not at all.

        NativeError if it cannot be written; an old file is then unchanged.
        """
        message = Message()
        if status := self._library.save(self._handle, encode_path(path), byref(message)):
            raise NativeError(status, message.text.decode("utf-8", "replace"))

    def to_bytes(self) -> bytes:
        """The content of the bot file that :meth:`save` writes."""
        return self._written("save_buffer")

    def _written(self, function: str) -> bytes:
        """What a function writes into a buffer, with room for a NUL."""
        write, size = getattr(self._library, function), c_size_t()
        status = write(self._handle, None, 0, byref(size))
        data = ctypes.create_string_buffer(size.value + 1)
        if size.value:
            status = write(self._handle, data, len(data), byref(size))
        if status:
            raise NativeError(status)
        return data.raw[: size.value]

    def _edited(self, function: str, *arguments: Any) -> NativeBot:
        handle, message = c_void_p(), Message()
        places = byref(handle), byref(message)
        status = getattr(self._library, function)(self._handle, *arguments, *places)
        if status or handle.value is None:
            raise NativeError(status, message.text.decode("utf-8", "replace"))
        return NativeBot(handle.value, self._owner)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an open NativeBot cannot be copied or pickled; open its bot file again")

    def match(self, text: str) -> NativeMatch:
        """Recognise the intent of a text."""
        data = encode(text)
        scratch = self._take()
        try:
            arguments = self._handle, scratch.handle, data, len(data), scratch.match
            if status := self._library.match_text(*arguments):
                raise NativeError(status)
            fields = MATCH.unpack(scratch.match)
        finally:
            self._scratches.append(scratch)
        intent, size, nearest, nearest_size, template, template_size, score = fields[:7]
        other, other_size, its_template, its_size, its_score, margin, reason, has_other = fields[7:]
        runner_up = None
        if has_other:
            texts = self._text(other, other_size), self._text(its_template, its_size)
            runner_up = NativeCandidate(texts[0], its_score, texts[1])
        return NativeMatch(
            self._text(intent, size) if intent else None,
            score,
            self._text(template, template_size) if template else None,
            self._text(nearest, nearest_size) if nearest else None,
            runner_up,
            margin if has_other else None,
            self._reasons[reason],
        )

    def rank(self, text: str, limit: int = 5) -> list[NativeCandidate]:
        """Rank the intents of a text, at most ``limit`` of them, without regard to thresholds."""
        data, count = encode(text), c_size_t()
        limit = max(1, min(limit, self._library.num_intents(self._handle)))
        room = ctypes.create_string_buffer(CANDIDATE.size * limit)
        scratch = self._take()
        try:
            arguments = self._handle, scratch.handle, data, len(data), limit, room, byref(count)
            if status := self._library.rank(*arguments):
                raise NativeError(status)
        finally:
            self._scratches.append(scratch)
        return [
            NativeCandidate(self._text(intent, size), score, self._text(template, template_size))
            for intent, size, template, template_size, score in (
                CANDIDATE.unpack_from(room, CANDIDATE.size * n) for n in range(count.value)
            )
        ]

    def read(self, text: str) -> str:
        """The text as it is matched: itself, or its tokens with their typing errors corrected."""
        data, read = encode(text), Text()
        given = ctypes.cast(c_char_p(data), c_void_p).value
        scratch = self._take()
        try:
            arguments = self._handle, scratch.handle, data, len(data), byref(read)
            if status := self._library.read(*arguments):
                raise NativeError(status)
            if read.data == given or read.data is None:
                return text
            return ctypes.string_at(read.data, read.size).decode("utf-8", "surrogatepass")
        finally:
            self._scratches.append(scratch)

    def encode(self, text: str) -> list[float]:
        """The sentence vector of a text, not corrected: unit length, or zeros if it is unknown."""
        data, dim = encode(text), self._library.dim(self._handle)
        vector = (c_float * dim)()
        scratch = self._take()
        try:
            arguments = self._handle, scratch.handle, data, len(data), vector, dim
            if status := self._library.encode(*arguments):
                raise NativeError(status)
        finally:
            self._scratches.append(scratch)
        return list(vector)

    @property
    def intents(self) -> tuple[str, ...]:
        """The names of the intents, in the order of the template set."""
        texts = (self._library.intent(self._handle, n) for n in range(self._num_intents))
        return tuple(self._text(text.data, text.size) for text in texts)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The score from which on each intent is accepted."""
        return tuple(self._library.threshold(self._handle, n) for n in range(self._num_intents))

    @property
    def _num_intents(self) -> int:
        number: int = self._library.num_intents(self._handle)
        return number

    @property
    def kind(self) -> str:
        """The kind of the model, such as ``"transformer"``."""
        return str(self._library.kind(self._handle).decode())

    @property
    def decision(self) -> str:
        """How an intent is scored, such as ``"logistic"``."""
        return str(self._library.decision(self._handle).decode())

    @property
    def instructions(self) -> str:
        """What computes the bot: ``"plain"``, or the name of a set of SIMD instructions."""
        return str(self._library.instructions(self._handle).decode())

    def _take(self) -> _Scratch:
        try:
            return self._scratches.pop()
        except IndexError:
            return _Scratch(self._library, self._handle)

    def _text(self, address: int, size: int) -> str:
        """A text that belongs to the bot."""
        text = self._texts.get(address) if size else ""
        if text is None:
            text = ctypes.string_at(address, size).decode("utf-8", "surrogatepass")
            self._texts[address] = text
        return text


def _close(library: Any, handle: int, scratches: list[_Scratch]) -> None:
    for scratch in scratches:
        library.scratch_free(scratch.handle)
    library.close(handle)
