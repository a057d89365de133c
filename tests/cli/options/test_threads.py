import argparse

from threadpoolctl import threadpool_info

from pocketintent.cli.options.threads import add_threads_option, limit_threads


def test_one_thread_is_the_default() -> None:
    parser = argparse.ArgumentParser()
    add_threads_option(parser)
    assert parser.parse_args([]).threads == 1


def test_matrix_products_use_no_more_threads() -> None:
    with limit_threads(1):
        assert {pool["num_threads"] for pool in threadpool_info()} <= {1}
