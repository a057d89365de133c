import pytest

from pocketintent_demo import __main__ as module


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
