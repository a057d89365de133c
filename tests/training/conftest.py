"""The fixtures of training."""

from pathlib import Path

import orjson
import pytest

from training_fixtures import *  # noqa: F403


@pytest.fixture(scope="session")
def paraphrases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A bot and a file of groups."""
    folder = tmp_path_factory.mktemp("paraphrases")
    bot = {
        "intents": {
            "play": {"templates": ["play jazz", "play"], "phrasings": ["some jazz"]},
            "stop": {"templates": ["stop"], "phrasings": ["not jazz", "stop the jazz"]},
        },
        "foreign": {"own_subject": ["the lamp", "..."], "other_subjects": ["news"]},
    }
    groups = [{"texts": ["play some", "some play", "play"]}, {"texts": ["lamp", "the lamp"]}]
    paths = [folder / "bot.json", folder / "groups.jsonl"]
    paths[0].write_bytes(orjson.dumps(bot))
    paths[1].write_bytes(b"\n".join(map(orjson.dumps, groups)))
    return paths
