"""Fixtures for the tests of training, here and in the laboratory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.training.corpora.encoded import EncodedCorpus

Documents = list[list[list[int]]]
MakeCorpus = Callable[..., EncodedCorpus]


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Two cores serve the whole test run, and the tensors here are too small to share."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def make_corpus() -> MakeCorpus:
    """A function from documents of sentences of word ids, and labels, to an encoded corpus."""

    def make(documents: Documents, labels: list[int] | None = None) -> EncodedCorpus:
        sentences = [sentence for document in documents for sentence in document]
        return EncodedCorpus(
            np.array([word for sentence in sentences for word in sentence], np.int32),
            np.cumsum([0, *map(len, sentences)]),
            np.cumsum([0, *map(len, documents)]),
            np.array(labels or [-1] * len(documents), np.int32),
        )

    return make


@pytest.fixture
def killed_while_deleting(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[..., Any]], None]:
    """A function that calls a pipeline, which is killed while it deletes its work folder."""

    def kill(pipeline: Callable[..., Any]) -> None:
        def die(folder: Path) -> None:
            (folder / "run.json").unlink()
            raise KeyboardInterrupt

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("pocketintent.training.loop.work_folder.delete_folder", die)
            pipeline()

    return kill
