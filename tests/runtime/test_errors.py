import re
import sys
from pathlib import Path

import pytest

from pocketintent.runtime.errors import (
    MissingExtraError,
    ModelFileError,
    PocketIntentError,
    TemplateError,
    install_command,
    require,
)

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("error", [ModelFileError, TemplateError, MissingExtraError])
def test_all_errors_of_bad_input_can_be_caught_as_one(error: type[Exception]) -> None:
    assert issubclass(error, PocketIntentError)
    assert issubclass(error, ValueError)


def test_a_module_that_is_there_is_returned() -> None:
    assert require("json.decoder", "train") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["no_such_package", "no_such_package.deep.inside"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(module: str) -> None:
    with pytest.raises(MissingExtraError) as caught:
        require(module, "train")
    assert "'no_such_package'" in str(caught.value)
    assert install_command("train") in str(caught.value)
    assert isinstance(caught.value, ImportError)


def test_an_extra_is_installed_from_a_checkout_or_a_wheel() -> None:
    command = install_command("export")
    assert 'pip install ".[export]" in a checkout' in command
    assert 'pip install "FILE.whl[export]"' in command


def test_no_other_place_tells_how_to_install_the_package() -> None:
    published = re.compile(r"pip install[^\n]*\bpocketintent\b")
    sources = [
        path
        for folder in ("sdk", "export", "demo_app", "benchmarks", "docs")
        for pattern in ("*.py", "*.md")
        for path in (REPOSITORY / folder).rglob(pattern)
    ]
    sources += REPOSITORY.glob("*.md")
    assert [str(path) for path in sources if published.search(path.read_text("utf-8"))] == []
    commands = [
        path.name
        for path in (REPOSITORY / "sdk").rglob("*.py")
        if "pip install" in path.read_text("utf-8")
    ]
    assert commands == ["errors.py"]


def test_every_extra_that_is_asked_for_exists() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    extras = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    asked = {
        extra
        for folder in ("sdk", "export", "benchmarks")
        for path in (REPOSITORY / folder).rglob("*.py")
        for extra in re.findall(r'\brequire\([^()]*?, "([a-z-]+)"\)', path.read_text("utf-8"))
    }
    assert len(asked) > 4
    assert {extra for extra in asked if not re.search(rf"^{extra} = ", extras, re.M)} == set()


def test_a_package_broken_inside_does_not_look_like_a_missing_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_inside.py").write_text("import something_it_lacks")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="something_it_lacks") as caught:
        require("broken_inside", "train")
    assert not isinstance(caught.value, PocketIntentError)
