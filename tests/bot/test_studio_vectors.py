import json

from studio_vectors import FILE, make_vectors


def test_the_studio_is_tested_against_what_the_package_says() -> None:
    vectors = json.loads(json.dumps(make_vectors()))
    assert json.loads(FILE.read_text("utf-8")) == vectors, (
        "run: python tests/support/studio_vectors.py"
    )
