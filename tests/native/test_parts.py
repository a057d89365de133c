"""JSON, numbers and hashes of the C core, beside those of Python."""

import ctypes
import hashlib
import json
import random
import struct
from ctypes import c_double, c_int, c_size_t, c_uint, c_ulonglong

import numpy as np
import orjson
import pytest

from native_core import Core

NUMBERS = [0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 1e17, 123456789012345680.0, 1e22, 1e23, 1e-4, 1e-5]
NUMBERS += [1e-6, 1.5e-7, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**-44]
NUMBERS += [9007199254740993.0, 0.30000000000000004, 2 / 3, 4.35, 2.5, 1e100, 8.41e21, 9.5e-322]


def test_numbers_are_written_as_orjson_writes_them(core: Core) -> None:
    rng = random.Random(0)
    numbers = NUMBERS + [rng.random() for _ in range(500)] + [2.0**n for n in range(-1074, 1024, 7)]
    for _ in range(2000):
        number = struct.unpack("<d", rng.randbytes(8))[0]
        numbers += [number] if number - number == 0 else []
    for number in numbers:
        assert core.write_double(number) == orjson.dumps(number)


def test_messages_are_formatted_as_printf_does(core: Core) -> None:
    reals = [
        (0.0, "0"),
        (-1.0, "-1"),
        (1.0, "1"),
        (0.2, "0.2"),
        (1e300, "1e+300"),
        (65504.0, "65504"),
    ]
    for number, size, bits, word in (
        (-(2**31), 2**64 - 1, 2**32 - 1, "Äpfel"),
        (0, 0, 0, "a"),
        (1207, 10, 0x1F, "word of a message"),
    ):
        data = word.encode()
        for real, shown in reals:
            for most in (0, 2, 99):
                cut, three = data[:most].decode("latin-1"), data[:3].decode("latin-1")
                expected = (
                    f"{number}|{size}|{size}|{bits:08x}|{bits:04x}|{bits}|{shown}|{cut}|{three}"
                )
                expected += f"|{chr(data[0])}|%|{data.decode('latin-1')}."
                for room in (1, 7, len(expected), 200):
                    out = ctypes.create_string_buffer(b"\x7f" * 200, 200)
                    integers = c_int(number), c_size_t(size), c_ulonglong(size), c_uint(bits)
                    rest = c_double(real), data, c_int(most), out, c_size_t(room)
                    assert core.lib.hook_format(*integers, *rest) == len(expected)
                    assert out.value.decode("latin-1") == expected[: room - 1]
                    assert out.raw[room:] == b"\x7f" * (200 - room)


def test_numbers_are_read_to_the_nearest(core: Core) -> None:
    rng = random.Random(1)
    texts = [repr(number) for number in NUMBERS]
    texts += [f"{rng.randrange(10**25)}e{rng.randrange(-340, 300)}" for _ in range(500)]
    texts += [f"{rng.random():.25f}" for _ in range(500)] + ["1e400", "-1e400", "1e-400"]
    texts += [f"{2**53 + 1}.0", f"{2**53 + 1}.{'0' * 900}1", f"{2**53 + 1}.{'0' * 900}"]
    texts += ["2.4703282292062327e-324", "2.4703282292062328e-324", f"0.{'0' * 330}1e330"]
    for text in texts:
        expected = orjson.dumps(json.loads(text))
        assert core.json(text.encode(), 254, False, False) == expected, text


JSON_TEXTS = [
    *('{"b":1,"a":[true,false,null]}', ' {"a" : {} , "b":[ ] }\n', '"\\u00e9\\n\\u0001\\"\\\\/"'),
    *('"\\ud83d\\ude00"', '"\\ud800"', '"\\ud800\\u0041"', '"\\udc00x"', '{"a":1,"b":2,"a":3}'),
    *("-0", "-0.0", "01", "1.", ".5", "1e5", "1E+2", "-", "+1", "NaN", "Infinity", "nul", "tru"),
    *("18446744073709551615", "18446744073709551616", "-9223372036854775808", "[1,]", "[,1]"),
    *('{"a"}', '{"a":}', "{a:1}", "[1 2]", "1 2", "", " ", '"', '"\\x"', '"\\u12g4"', '"a\tb"'),
    *("[[[[1]]]]", "\ufeff1", '"\x7f"', "[" * 254 + "]" * 254, "[" * 255 + "]" * 255, "{}", "[]"),
    *('{"":0}', '{"a":{"c":1,"b":2},"B":3}', "1" * 4300, "1" * 4301, '"é漢🙂"', '{"a":1,}'),
]


def python_json(text: str) -> bytes | None:
    """The canonical form by the readers of ``model_file.py``; None if it is refused."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    def none(name: str) -> None:
        raise ValueError(name)

    try:
        value = json.loads(text, object_pairs_hook=once, parse_constant=none)
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (ValueError, TypeError, RecursionError):
        return None


@pytest.mark.parametrize("text", JSON_TEXTS, ids=range(len(JSON_TEXTS)))
def test_json_is_read_as_in_python(core: Core, text: str) -> None:
    assert core.json(text.encode(), 254, False, False) == python_json(text)


def test_damaged_json_is_read_as_in_python(core: Core) -> None:
    rng = random.Random(2)
    whole = '{"a":[1,2.5e3,"x\\u00e9\\n"],"bc":{"d":null,"e":[true,false,{}]},"f":-12.75,"g":"é"}'
    for _ in range(3000):
        data = bytearray(whole.encode())
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(data))
            data[place : place + rng.randrange(3)] = rng.choices(b'{}[]",:0e-\\u a\xc3', k=1)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            assert core.json(bytes(data), 254, False, False) is None
        else:
            assert core.json(bytes(data), 254, False, False) == python_json(text), text


def test_repeated_keys_of_templates_keep_the_last_value(core: Core) -> None:
    text = b'{"a":1,"b":2,"a":3,"c":{"x":1,"x":2}}'
    assert core.json(text, 1024, True, True) == b'{"a":3,"b":2,"c":{"x":2}}'
    assert core.json(b'"\\ud800"', 1024, True, True) is None
    assert core.json(b"1e999", 1024, True, True) is None


@pytest.mark.parametrize("is_plain", [False, True])
def test_hashes_are_those_of_hashlib(core: Core, is_plain: bool) -> None:
    data = random.Random(3).randbytes(4096)
    for size in [*range(130), 192, 1000, 4095, 4096]:
        for first in {0, size // 3, size}:
            digest = hashlib.sha256(data[:size]).hexdigest()
            assert core.sha256(data[:size], first, is_plain) == digest


@pytest.mark.parametrize("instructions", ["plain", "sse2", "neon", "avx2", "avx512"])
def test_the_hyperbolic_tangent_keeps_its_digits(core: Core, instructions: str) -> None:
    rng = np.random.default_rng(4)
    numbers = np.concatenate([rng.normal(0, scale, 3001) for scale in (1e-30, 1e-3, 0.5, 3, 1e4)])
    numbers = np.append(numbers, [0.0, -0.0, 0.625, -0.625, 65504.0, -65504.0, 3e38]).astype("f4")
    expected = np.tanh(numbers.astype(np.float64))
    np.testing.assert_allclose(core.tanh(numbers, instructions), expected, rtol=3e-7)
