import os
from pathlib import Path

import pytest

from pocketintent.recognizer import IntentRecognizer
from pocketintent.records import read_content
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, TemplateError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.regular import read_regular
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.templates.files import load_templates
from pocketintent.training.corpora.reader import read_corpus
from pocketintent.training.corpora.terms import load_terms
from pocketintent.training.vectors.reading import read_vectors

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
PIPE = "pipe, a device or a socket"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_file_and_a_link_to_it_are_read(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"content")
    link.symlink_to(file)
    assert read_regular(file) == read_regular(link) == b"content"


def test_a_pipe_or_a_device_is_refused_at_once(pipe: Path) -> None:
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(OSError, match=PIPE):
            read_regular(path)
    with pytest.raises(IsADirectoryError):
        read_regular(pipe.parent)


def test_every_reader_of_the_runtime_refuses_a_pipe(pipe: Path) -> None:
    for reader in (load_model, lambda path: load_model(find_model(path))):
        with pytest.raises(ModelFileError, match=f"{pipe} cannot be read: it is a {PIPE}"):
            reader(pipe)
    with pytest.raises(TemplateError, match=PIPE):
        load_templates(pipe)
    with pytest.raises(TemplateError, match=PIPE):
        IntentRecognizer.load(pipe)
    pipe.rename(pipe.with_name("manifest.json"))
    with pytest.raises(ModelFileError, match=PIPE):
        open_exported(pipe.parent)


def test_every_reader_of_the_training_side_refuses_a_pipe(pipe: Path) -> None:
    packed = pipe.with_name("corpus.txt.gz")
    os.mkfifo(packed)
    readers = [read_content, load_terms, read_vectors, lambda path: list(read_corpus([path]))]
    for reader in readers:
        for path in (pipe, packed):
            with pytest.raises(PocketIntentError, match=PIPE):
                reader(path)
