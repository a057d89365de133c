import argparse
import sys

import pytest

from pocketintent.cli.options.threads import add_threads_option, limit_threads
from pocketintent.runtime.errors import MissingExtraError


def test_one_thread_is_the_default() -> None:
    parser = argparse.ArgumentParser()
    add_threads_option(parser)
    assert parser.parse_args([]).threads == 1


def test_matrix_products_use_no_more_threads() -> None:
    library = pytest.importorskip("threadpoolctl")
    with limit_threads(1):
        assert {pool["num_threads"] for pool in library.threadpool_info()} <= {1}


def test_several_threads_need_threadpoolctl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with limit_threads(1):
        pass
    with pytest.raises(MissingExtraError, match="threadpoolctl"), limit_threads(2):
        pass
