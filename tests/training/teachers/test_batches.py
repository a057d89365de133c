from dataclasses import dataclass, replace

import numpy as np

from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.teachers.batches import Batches
from pocketintent.training.teachers.paraphrases import LabelledTexts, Paraphrases
from pocketintent.training.teachers.targets import TargetTexts, TextData


@dataclass(frozen=True)
class Sizes:
    seed: int = 0
    batch_words: int = 20
    paraphrase_weight: float = 0.12


LENGTHS = np.array([1 + i % 4 for i in range(60)])
BOT = LabelledTexts([[7, 7], [8], [9, 9, 9]], np.array([0, 0, -1]))


def data(paraphrases: Paraphrases | None = None) -> TextData:
    texts = TargetTexts(
        np.repeat(np.arange(60), LENGTHS),
        np.append(0, LENGTHS.cumsum()),
        np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32),
    )
    words = CountedVocabulary(list(map(str, range(60))), LENGTHS)
    return TextData(words, texts, texts.take(np.arange(0)), paraphrases=paraphrases)


def test_an_epoch_has_every_text_once_in_batches_of_about_equally_many_words() -> None:
    batches = Batches(data(), Sizes())
    own = [batches.batch(i) for i in range(batches.start_epoch(3))]
    assert sorted(np.concatenate([batch.ids for batch in own])) == sorted(data().training.ids)
    assert all(15 <= len(batch.ids) <= 25 for batch in own)
    assert any(len(set(batch.lengths.tolist())) > 1 for batch in own)
    assert all(len(batch.targets) == len(batch.lengths) for batch in own)
    again = Batches(data(), Sizes())
    again.start_epoch(3)
    assert again.batch(5).ids.tolist() == own[5].ids.tolist()


def test_paraphrases_follow_the_texts_with_targets() -> None:
    batches = Batches(data(Paraphrases([BOT], [])), Sizes())
    batches.start_epoch(0)
    batch = batches.batch(1)
    assert batch.labels.tolist() == [0, 0, -1]
    assert batch.ids[-6:].tolist() == [7, 7, 8, 9, 9, 9]
    assert batch.lengths[-3:].tolist() == [2, 1, 3]
    assert len(batch.targets) == len(batch.lengths) - 3
    assert batch.owners()[-6:].tolist() == [
        n - 3 + i for i in (0, 0, 1, 2, 2, 2) for n in [len(batch.lengths)]
    ]


def test_paraphrases_without_a_weight_are_not_read() -> None:
    batches = Batches(data(Paraphrases([BOT], [])), replace(Sizes(), paraphrase_weight=0.0))
    batches.start_epoch(0)
    assert not len(batches.batch(1).labels)
