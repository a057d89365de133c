import pytest

from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent_demo import __main__ as module


def test_the_help_names_the_shipped_models(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        module.main(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert f"the name of a shipped model: {', '.join(bundled_models())} (default" in words


def test_an_interrupted_demo_ends_with_status_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("Session", "converse"):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupt)
            assert module.main([]) == 130
    assert capsys.readouterr().err == ""
