"""Write a bot and try it in the browser: a match appears as one types.

Nothing leaves this computer: the page is served on the loopback address alone. Ctrl-C ends it. With
an empty variable BROWSER no browser is opened.

Examples:
  pocketintent studio my_bot.json
  pocketintent studio smart_home --model tiny
  pocketintent studio my_bot.json --model tiny --export site/
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import webbrowser
import zlib
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.parse import quote

import orjson

import pocketintent
from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.shared import TEMPLATES_HELP, add
from pocketintent.cli.options.types import output_folder
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import DEFAULT, bundled_models, find_model
from pocketintent.runtime.templates.files import choose_model, load_templates

_PACKAGE = Path(pocketintent.__file__).parent
PLACES = [_PACKAGE / "assets" / "studio", _PACKAGE.parents[1] / "build" / "web" / "studio"]
"""Where the built page may be: in a wheel, and in a checkout."""

_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_TYPES |= {".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``studio``."""
    add(parser, "templates", nargs="?", help=f"{TEMPLATES_HELP} (none: a new bot)")
    add(parser, "--model", help=f"{MODEL_HELP} (all of these, to choose from in the page)")
    parser.add_argument("--export", type=output_folder, help="write the page for a static host")


def run(args: argparse.Namespace) -> int:
    """Serve the studio, or write it."""
    if args.export is not None:
        models = write_page(args.export, args.templates, args.model, offline=True)
        print_json({"out": str(args.export), "models": models})
        return 0
    with TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        write_page(Path(folder), args.templates, args.model, offline=False)
        with open_server(folder, str(Path(args.templates or "").resolve())) as server:
            address = f"http://127.0.0.1:{server.server_port}/"
            print_note(f"the studio: {address} (Ctrl-C ends it)")
            if os.environ.get("BROWSER") != "":
                webbrowser.open(address)
            server.serve_forever()
    return 0


def write_page(folder: Path, source: str | None, model: str | None, *, offline: bool) -> list[str]:
    """Write the page with its templates and models; returns the names of the models.

    PocketIntentError if the page was not built, or for templates or a model that cannot be used.
    ``offline`` says whether the browser keeps the page, to open it without a network.
    """
    page = next((place for place in PLACES if (place / "index.html").is_file()), None)
    if page is None:
        raise PocketIntentError(
            "the studio was not built: run `make web-build` in a checkout, and install it again"
        )
    templates = None if source is None else load_templates(source)
    chosen = choose_model(source, model)
    shipped = bundled_models()
    path = None if chosen is None else load_model(find_model(chosen)).path
    models = {DEFAULT: shipped[DEFAULT]} | shipped if path is None else {path.stem: path}
    shutil.copytree(page, folder, dirs_exist_ok=True)
    for name, file in models.items():
        with suppress(shutil.SameFileError):
            shutil.copy(file, folder / f"{name}.safetensors")
    if templates is not None:
        (folder / "templates.json").write_bytes(orjson.dumps(templates.to_dict()))
    config = {
        "name": "my_bot" if source is None else Path(source).stem,
        "templates": None if templates is None else "templates.json",
        "models": [{"name": name, "file": quote(f"{name}.safetensors")} for name in models],
        "offline": offline,
    }
    (folder / "studio.json").write_bytes(orjson.dumps(config))
    return list(models)


class _Handler(SimpleHTTPRequestHandler):
    """Serves files that the browser asks for again at each visit, and says nothing of it."""

    extensions_map = _TYPES | {"": "application/octet-stream"}

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        port = self.connection.getsockname()[1]
        if self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}"):
            return super().send_head()
        self.send_error(403)  # a page elsewhere, whose name leads here
        return None

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def open_server(folder: str, bot: str) -> ThreadingHTTPServer:
    """A server of a folder, on the port of the bot if it is free: the browser keeps work by it."""
    for port in (20_000 + zlib.crc32(bot.encode()) % 10_000, 0):
        with suppress(OSError):
            return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=folder))
    raise PocketIntentError("no port of the loopback address is free")
