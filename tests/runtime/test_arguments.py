from pathlib import Path

import pytest

from pocketintent.runtime.arguments import check_count, check_path
from pocketintent.runtime.errors import PocketIntentError


@pytest.mark.parametrize("value", ["", "a\0b", "a\ud800b", 0, None, b"a"])
def test_a_value_that_no_file_can_have_as_its_path_is_refused(value: object) -> None:
    with pytest.raises(PocketIntentError, match=r"^out must be a path, not "):
        check_path("out", value)


@pytest.mark.parametrize("value", ["a", "no/such/file", ".", Path("a")])
def test_a_path_need_not_exist(value: object) -> None:
    check_path("out", value)


@pytest.mark.parametrize("value", [1, 6, 2.0, True, "2", None])
def test_a_number_that_is_not_whole_or_within_its_limits_is_refused(value: object) -> None:
    with pytest.raises(PocketIntentError, match="n must be a whole number from 2 to 5, not "):
        check_count("n", value, least=2, most=5)
