from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.settings import TargetSettings
from pocketintent.training.teachers.texts import make_targets
from pocketintent.training.vectors.reading import read_vectors


def test_made_texts_come_before_those_of_files_and_each_is_written_once(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    corpus, bot, out = tmp_path / "a.txt", tmp_path / "bot.json", tmp_path / "targets.tsv"
    lines = ["turn on the light", "please turn off the warm light now", "light"]
    corpus.write_text("\n".join(lines * 2))
    bot.write_text('{"lights": ["turn on the light", "lights"]}')
    said: list[str] = []
    stages: Counter[str] = Counter()
    record = make_targets(
        tiny_encoder,
        out,
        TargetSettings(single_words=2, phrases=2, substitutions=1, components=3),
        texts=[corpus],
        templates=[bot],
        report=said.append,
        progress=lambda stage, done, total: stages.update([stage]),
    )
    read = read_vectors(out)
    assert record == {"texts": len(read), "dim": 3} and said[-1] == f"{len(read)} texts"
    assert read.terms[:3] == ["light", "the", "turn"] and read.terms[-2:] == [lines[1], "lights"]
    assert len(set(read.terms)) == len(read) > 6 and set(lines) <= set(read.terms)
    assert set(stages) == {"texts"}
    assert np.isfinite(read.vectors).all() and not Path(f"{out}.partial").exists()


def test_more_components_than_the_vectors_have_are_refused(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match="--components 99 is more than the 32 dimensions"):
        make_targets(
            tiny_encoder,
            tmp_path / "targets.tsv",
            TargetSettings(components=99),
            report=print,
            progress=print,
        )
