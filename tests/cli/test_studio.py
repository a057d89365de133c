import json
import urllib.error
import urllib.request
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pocketintent.cli import studio
from pocketintent.cli.main import main
from pocketintent.runtime.files.shipped_models import bundled_models

TEMPLATES = {"on": ["lamp on", "light on"], "off": ["lamp off"]}


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as `make web` writes it, with two files in place of the real ones."""
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html>")
    (folder / "studio.js").write_text("export {}")
    monkeypatch.setattr(studio, "PLACES", [tmp_path / "no wheel", folder])
    return folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "my bot.json"
    path.write_text(json.dumps(TEMPLATES))
    return path


def export(tmp_path: Path, *arguments: object) -> tuple[Path, dict[str, Any]]:
    out = tmp_path / "site" / "new"
    assert main(["studio", *map(str, arguments), "--export", str(out)]) == 0
    return out, json.loads((out / "studio.json").read_text())


def test_an_exported_page_has_its_templates_and_model(
    tmp_path: Path, bot: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, config = export(tmp_path, bot, "--model", tiny_model)
    name = tiny_model.stem
    assert config == {
        "name": "my bot",
        "templates": "templates.json",
        "models": [{"name": name, "file": f"{name}.safetensors"}],
        "offline": True,
    }
    assert json.loads(capsys.readouterr().out) == {"out": str(out), "models": [name]}
    assert (out / f"{name}.safetensors").read_bytes() == tiny_model.read_bytes()
    intents = json.loads((out / "templates.json").read_text())["intents"]
    assert {key: intent["templates"] for key, intent in intents.items()} == TEMPLATES
    assert (out / "index.html").is_file() and (out / "studio.js").is_file()


def test_without_arguments_a_new_bot_may_have_any_shipped_model(tmp_path: Path) -> None:
    out, config = export(tmp_path)
    assert (config["name"], config["templates"]) == ("my_bot", None)
    names = [model["name"] for model in config["models"]]
    assert names[0] == "default" and sorted(names) == sorted(bundled_models())
    assert all((out / model["file"]).is_file() for model in config["models"])


def test_a_bot_file_brings_its_model(tmp_path: Path, bot: Path, tiny_model: Path) -> None:
    built = tmp_path / "built.safetensors"
    assert main(["build", str(bot), "--model", str(tiny_model), "--out", str(built)]) == 0
    out, config = export(tmp_path, built)
    assert config["models"] == [{"name": "built", "file": "built.safetensors"}]
    assert (out / "built.safetensors").read_bytes() == built.read_bytes()
    assert set(json.loads((out / "templates.json").read_text())["intents"]) == set(TEMPLATES)
    assert main(["studio", str(built), "--model", "tiny", "--export", str(tmp_path / "x")]) == 1


def test_what_is_missing_is_an_error_that_says_what_to_do(
    tmp_path: Path, bot: Path, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for arguments, message in (
        (["gone.json"], "gone.json: no such file"),
        ([str(bot), "--model", "gone"], "gone: there is no such model"),
        ([str(bot), "--model", str(bot)], "my bot.json cannot be used as a model"),
    ):
        assert main(["studio", *arguments, "--export", str(out)]) == 1
        assert message in capsys.readouterr().err
        assert not out.exists()
    (page / "index.html").unlink()
    assert main(["studio", str(bot), "--export", str(out)]) == 1
    assert "run `make web-build`" in capsys.readouterr().err


def test_the_page_is_served_until_control_c(
    bot: Path,
    tiny_model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened: list[str] = []
    served: list[dict[str, tuple[int, str, str]]] = []

    def ask_and_interrupt(server: Any) -> None:
        names = ("", "studio.js", "studio.json", f"{tiny_model.stem}.safetensors")
        served.append({name: ask(server, name) for name in names})
        raise KeyboardInterrupt

    monkeypatch.setattr(studio.ThreadingHTTPServer, "serve_forever", ask_and_interrupt)
    monkeypatch.setattr(studio.webbrowser, "open", opened.append)
    monkeypatch.delenv("BROWSER", raising=False)
    call = ["studio", str(bot), "--model", str(tiny_model)]
    assert main(call) == 0
    kinds = {name: kind for name, (status, kind, _) in served[0].items() if status == 200}
    assert kinds == {
        "": "text/html",
        "studio.js": "text/javascript",
        "studio.json": "application/json",
        f"{tiny_model.stem}.safetensors": "application/octet-stream",
    }
    assert {cached for _, _, cached in served[0].values()} == {"no-cache"}
    assert f"the studio: {opened[0]} (Ctrl-C ends it)\n" == capsys.readouterr().err
    monkeypatch.setenv("BROWSER", "")
    assert main(call) == 0
    assert len(opened) == 1  # the second call opened none


def ask(server: Any, name: str, host: str | None = None) -> tuple[int, str, str]:
    """Status, type and caching of a file of a server, which serves this request alone."""
    thread = Thread(target=server.handle_request)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/{name}"
    request = urllib.request.Request(address, headers={} if host is None else {"Host": host})
    with urllib.request.urlopen(request, timeout=10) as response:
        headers = response.headers
        found = response.status, headers["content-type"], headers["cache-control"]
    thread.join()
    return found


def test_another_name_of_the_address_gets_nothing(page: Path) -> None:
    """So that a page elsewhere, whose name is made to lead here, cannot read the bot."""
    with studio.open_server(str(page), "a") as server:
        assert ask(server, "studio.js", f"localhost:{server.server_port}")[0] == 200
        for host in (f"evil.example:{server.server_port}", "127.0.0.1", "localhost:1"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                ask(server, "studio.js", host)


def test_a_model_has_any_name_and_may_be_in_the_folder(tmp_path: Path, tiny_model: Path) -> None:
    out = tmp_path / "site" / "new"
    out.mkdir(parents=True)
    model = out / "v1#2 50%.safetensors"
    model.write_bytes(tiny_model.read_bytes())
    _, config = export(tmp_path, "--model", model)
    assert config["models"] == [{"name": "v1#2 50%", "file": "v1%232%2050%25.safetensors"}]
    assert model.read_bytes() == tiny_model.read_bytes()


def test_a_bot_has_its_own_port_as_long_as_that_is_free(tmp_path: Path) -> None:
    with studio.open_server(str(tmp_path), "a") as first:
        with studio.open_server(str(tmp_path), "a") as second:
            assert second.server_port != first.server_port
        port = first.server_port
        with studio.open_server(str(tmp_path), "b") as other:
            assert other.server_port != port
    with studio.open_server(str(tmp_path), "a") as again:
        assert again.server_port == port
        assert again.server_address[0] == "127.0.0.1"
