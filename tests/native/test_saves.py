"""Saves of the C core: whole files, or none."""

import ctypes
import os
import stat
from ctypes import byref, c_size_t
from pathlib import Path

import pytest

from native_core import Core
from native_interface import CoreError


def test_a_save_replaces_a_file_whole_or_not_at_all(core: Core, lamp_path: Path) -> None:
    folder = lamp_path.parent
    with core.open(lamp_path) as bot:
        link = folder / "link.safetensors"
        link.symlink_to(lamp_path)
        before = lamp_path.read_bytes()
        bot.save(link)  # the file that is open, by a link
        assert link.is_symlink() and lamp_path.read_bytes() == before
        assert bot.match("lamp on")["nearest"] == "on"
        mode = stat.S_IMODE(lamp_path.stat().st_mode)
        assert mode == 0o666 & ~current_umask()
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        for path, reason in (
            (folder, "it is a folder"),
            (folder / "none" / "x.safetensors", "No such file"),
            (lamp_path / "x", "Not a directory"),
            (pipe, "it is a device, a pipe or a socket"),
        ):
            with pytest.raises(CoreError, match=reason) as error:
                bot.save(path)
            assert error.value.status == "file"
        assert not list(folder.glob(".*.tmp"))
        size = c_size_t()
        save = core.lib.pintent_save_buffer
        assert save(bot.bot, None, c_size_t(0), byref(size)) == 7
        assert size.value == len(before)
        for capacity in (1, size.value - 1):
            room = ctypes.create_string_buffer(b"\x7f" * 16, size.value + 1)
            assert save(bot.bot, room, c_size_t(capacity), byref(size)) == 7
            assert room.raw[:16] == b"\x7f" * 16
        room = ctypes.create_string_buffer(size.value)
        assert save(bot.bot, room, size, byref(size)) == 0
        assert room.raw == before
        with core.open_buffer(room, size.value) as opened:
            edited = opened.add_intent("music", ["play"])
            assert edited.match("play")["nearest"] == "music"
            edited.close()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
