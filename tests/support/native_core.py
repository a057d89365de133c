"""The functions of the C core for tests, by ctypes."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Sequence
from ctypes import (
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_size_t,
    c_void_p,
)
from pathlib import Path
from typing import Any

import numpy as np

from native_interface import STATUSES, Addition, CoreError, Message, Text, encode, text_of, texts_of

DEFAULT_CACHE = 4 << 20
SMALL_MODELS = ("static", "contextual", "transformer", "words", "text", "combined")
"""Names of small models, at least one of each kind."""
CHARACTER_MODELS = ("deep", "stacked", "cell", "many", "attention", "all_words")
"""More that read characters."""
Alphabet = tuple[np.ndarray, np.ndarray]
"""Code points in their order, and the number of each."""


def alphabet_of(points: Iterable[int]) -> Alphabet:
    """The alphabet of code points that are numbered from 1."""
    given = np.array([*points], np.uint32)
    order = np.argsort(given)
    return given[order], (order + 1).astype(np.uint32)


class Core:
    """The library with its test hooks."""

    def __init__(self, library: Path) -> None:
        self.lib = ctypes.CDLL(str(library))
        sized = ("tokens", "pieces", "read", "hash_ngrams", "json", "write_double", "format")
        for name in (*sized, "sizes", "spell", "kept_vectors", "search"):
            getattr(self.lib, f"hook_{name}").restype = c_size_t
        self.lib.hook_estimate.restype = c_float
        self.lib.hook_use_kernels.restype = c_char_p
        self.lib.hook_write_double.argtypes = [c_double, c_char_p]
        self.lib.pintent_threshold.restype = c_double
        for name in ("num_intents", "num_templates", "dim"):
            getattr(self.lib, f"pintent_{name}").restype = c_size_t
        for name in ("kind", "decision", "instructions", "version", "unicode_version"):
            getattr(self.lib, f"pintent_{name}").restype = c_char_p
        self.lib.pintent_intent.restype = Text

    def _listed(self, function: Any, *arguments: Any) -> list[str]:
        buffer = ctypes.create_string_buffer(1 << 20)
        size = function(*arguments, buffer, c_size_t(len(buffer)))
        return buffer.raw[:size].decode().split("\n")[:-1]

    def tokens(self, text: str) -> list[str]:
        data = encode(text)
        return self._listed(self.lib.hook_tokens, data, c_size_t(len(data)))

    def pieces(self, vocabulary: Sequence[str], text: str) -> list[str]:
        words, data = encode("\n".join(vocabulary)), encode(text)
        sizes = c_size_t(len(words)), c_size_t(len(data))
        return self._listed(self.lib.hook_pieces, words, sizes[0], data, sizes[1])

    def read(
        self, own_texts: Sequence[str], vocabulary: Sequence[str], filters: list[bytes], text: str
    ) -> list[str]:
        own = (Text * len(own_texts))(*map(text_of, map(encode, own_texts)))
        lost = (Text * len(filters))(*map(text_of, filters))
        words, data = encode("\n".join(vocabulary)), encode(text)
        lists = own, c_size_t(len(own)), words, c_size_t(len(words)), lost, c_size_t(len(lost))
        return self._listed(self.lib.hook_read, *lists, data, c_size_t(len(data)))

    def spell(self, alphabet: Alphabet, text: str, most: int) -> list[int]:
        """The numbers of a text's characters, counted from 1 in an alphabet; 0 for others."""
        data, numbers = encode(text), np.empty(min(most, 18 * 4096), np.uint32)
        own = (part.ctypes.data_as(c_void_p) for part in alphabet)
        sizes = c_size_t(len(alphabet[0])), c_size_t(most)
        room = numbers.ctypes.data_as(c_void_p)
        count = self.lib.hook_spell(*own, *sizes, data, c_size_t(len(data)), room)
        spelled: list[int] = numbers[:count].tolist()
        return spelled

    def tanh(self, numbers: np.ndarray, instructions: str) -> np.ndarray:
        result: np.ndarray = numbers.astype(np.float32)
        place = result.ctypes.data_as(c_void_p)
        self.lib.hook_tanh(instructions.encode(), place, c_size_t(len(result)))
        return result

    def ngram_hashes(self, word: str, least: int, most: int) -> list[int]:
        data, values = encode(word), (ctypes.c_uint32 * 100_000)()
        sizes = c_size_t(len(data)), c_size_t(least), c_size_t(most)
        count = self.lib.hook_hash_ngrams(data, *sizes, values, c_size_t(len(values)))
        return list(values[:count])

    def ngram_counts(self, text: str) -> list[float]:
        data, counts = encode(text), (c_float * 512)()
        self.lib.hook_count_ngrams(data, c_size_t(len(data)), counts)
        return list(counts)

    def json(self, data: bytes, depth: int, keeps_last: bool, is_strict: bool) -> bytes | None:
        buffer = ctypes.create_string_buffer(8 * len(data) + 64)
        rules = c_int(depth), c_bool(keeps_last), c_bool(is_strict)
        size = self.lib.hook_json(data, c_size_t(len(data)), *rules, buffer, c_size_t(len(buffer)))
        return buffer.raw[:size] if size else None

    def write_double(self, number: float) -> bytes:
        buffer = ctypes.create_string_buffer(40)
        size: int = self.lib.hook_write_double(number, buffer)
        return buffer.raw[:size]

    def sha256(self, data: bytes, first: int, is_plain: bool) -> str:
        buffer = ctypes.create_string_buffer(64)
        sizes = c_size_t(len(data)), c_size_t(first)
        self.lib.hook_sha256(data, *sizes, c_bool(is_plain), buffer)
        return buffer.raw.decode()

    def open(self, path: Path, cache: int = DEFAULT_CACHE) -> CoreBot:
        return self._opened(self.lib.pintent_open, os.fsencode(path), cache=cache)

    def open_buffer(self, data: Any, size: int) -> CoreBot:
        return self._opened(self.lib.pintent_open_buffer, data, c_size_t(size))

    def open_model(self, path: Path) -> CoreBot:
        """A bot without intents."""
        return self._opened(self.lib.pintent_open_model, os.fsencode(path))

    def open_model_buffer(self, data: Any, size: int) -> CoreBot:
        return self._opened(self.lib.pintent_open_model_buffer, data, c_size_t(size))

    def _opened(self, function: Any, *source: Any, cache: int = DEFAULT_CACHE) -> CoreBot:
        bot, message = c_void_p(), Message()
        status = function(*source, None, byref(bot), byref(message))
        if status:
            raise CoreError(status, message.text.decode())
        return CoreBot(self.lib, bot, cache)


class CoreBot:
    """An open bot with one scratch."""

    def __init__(self, lib: Any, bot: c_void_p, cache: int) -> None:
        self.lib, self.bot, self.scratch, self.cache = lib, bot, c_void_p(), cache
        status = lib.pintent_scratch_new(bot, c_size_t(cache), byref(self.scratch))
        if status:
            raise CoreError(status)

    def close(self) -> None:
        self.lib.pintent_scratch_free(self.scratch)
        self.lib.pintent_close(self.bot)

    def __enter__(self) -> CoreBot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_intent(
        self,
        name: str | bytes,
        templates: Iterable[str | bytes],
        threshold: float | None = None,
        counter_examples: Iterable[str | bytes] = (),
    ) -> CoreBot:
        """The next bot, as ``IntentRecognizer.add_intent`` makes it; this one stays."""
        lists = [texts_of(templates), texts_of(counter_examples)]
        places = [(ctypes.cast(texts, c_void_p), len(texts)) for texts in lists]
        limit = 0.0 if threshold is None else threshold
        own = text_of(encode(name) if isinstance(name, str) else name)
        addition = Addition(own, *places[0], *places[1], limit, threshold is not None)
        return self._edited(self.lib.pintent_add_intent, byref(addition))

    def remove_intent(self, name: str) -> CoreBot:
        data = encode(name)
        return self._edited(self.lib.pintent_remove_intent, data, c_size_t(len(data)))

    def set_templates(self, templates: Any) -> CoreBot:
        """The next bot, with another set: a mapping, or JSON in bytes."""
        data = templates if isinstance(templates, bytes) else json.dumps(templates).encode()
        return self._edited(self.lib.pintent_set_templates, data, c_size_t(len(data)))

    @property
    def templates(self) -> dict[str, Any]:
        """The template set in the long form."""
        length = c_size_t()
        self.lib.pintent_templates_json(self.bot, None, c_size_t(0), byref(length))
        room = ctypes.create_string_buffer(length.value + 1)
        size = c_size_t(len(room))
        status = self.lib.pintent_templates_json(self.bot, room, size, byref(length))
        if status:
            raise CoreError(status)
        form: dict[str, Any] = json.loads(room.raw[: length.value])
        return form

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes."""
        size = c_size_t()
        self.lib.pintent_save_buffer(self.bot, None, c_size_t(0), byref(size))
        room = ctypes.create_string_buffer(size.value)
        status = self.lib.pintent_save_buffer(self.bot, room, size, byref(size))
        if status:
            raise CoreError(status)
        return room.raw

    def _edited(self, function: Any, *arguments: Any) -> CoreBot:
        bot, message = c_void_p(), Message()
        status = function(self.bot, *arguments, byref(bot), byref(message))
        if status:
            raise CoreError(status, message.text.decode())
        try:
            return CoreBot(self.lib, bot, self.cache)
        except CoreError:
            self.lib.pintent_close(bot)
            raise

    def save(self, path: Path) -> None:
        message = Message()
        status = self.lib.pintent_save(self.bot, os.fsencode(path), byref(message))
        if status:
            raise CoreError(status, message.text.decode())

    def use_kernels(self, name: str) -> str:
        chosen: bytes = self.lib.hook_use_kernels(self.bot, name.encode())
        return chosen.decode()

    def _json(self, function: Any, text: str | bytes, *more: Any) -> Any:
        data = encode(text) if isinstance(text, str) else text
        buffer, length = ctypes.create_string_buffer(1 << 16), c_size_t()
        start = self.bot, self.scratch, data, c_size_t(len(data)), *more
        status = function(*start, buffer, c_size_t(len(buffer)), byref(length))
        if STATUSES[status] == "size":
            buffer = ctypes.create_string_buffer(length.value + 1)
            status = function(*start, buffer, c_size_t(len(buffer)), byref(length))
        if status:
            raise CoreError(status)
        return json.loads(buffer.raw[: length.value])

    def match(self, text: str | bytes) -> dict[str, Any]:
        match: dict[str, Any] = self._json(self.lib.pintent_match_json, text)
        return match

    def rank(self, text: str, limit: int) -> list[dict[str, Any]]:
        ranking: list[dict[str, Any]] = self._json(
            self.lib.pintent_rank_json, text, c_size_t(limit)
        )
        return ranking

    def read(self, text: str) -> str:
        data, read = encode(text), Text()
        self.lib.pintent_read(self.bot, self.scratch, data, c_size_t(len(data)), byref(read))
        return ctypes.string_at(read.data, read.size).decode("utf-8", "surrogatepass")

    def encode(self, text: str) -> np.ndarray:
        data, dim = encode(text), self.lib.pintent_dim(self.bot)
        vector = np.empty(dim, np.float32)
        status = self.lib.pintent_encode(
            self.bot,
            self.scratch,
            data,
            c_size_t(len(data)),
            vector.ctypes.data_as(c_void_p),
            c_size_t(dim),
        )
        if status:
            raise CoreError(status)
        return vector

    @property
    def intents(self) -> list[str]:
        texts = [
            self.lib.pintent_intent(self.bot, c_size_t(n))
            for n in range(self.lib.pintent_num_intents(self.bot))
        ]
        return [ctypes.string_at(text.data, text.size).decode() for text in texts]
