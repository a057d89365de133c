import dataclasses
import gzip
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketintent.evaluation.public_data import converters, download
from pocketintent.evaluation.public_data.catalogue import Output, PublicSet
from pocketintent.evaluation.public_data.download import DownloadError, fetch_set
from pocketintent.training.corpora.reader import read_corpus

SEQ_IN = "how do i locate my card?\nwhat are the exchange rates\n"
LABEL = "card_arrival\nexchange_rate\n"
LINES = b"""\
{"text": "how do i locate my card?", "intent": "card_arrival"}
{"text": "what are the exchange rates", "intent": "exchange_rate"}
"""


class Server(http.server.ThreadingHTTPServer):
    """A web server that serves ``files``; the items of a list are served one after the other."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes | list[bytes | int]] = {}
        self.requests: list[str] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/data"


class Answer(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        name = self.path.removeprefix("/data/")
        self.server.requests.append(name)
        answer = self.server.files.get(name, 404)
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, int):
            self.send_error(answer)
            return
        self.send_response(200)
        promised = len(answer) + (10 if answer.startswith(b"cut short") else 0)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(download.time, "sleep", lambda seconds: None)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        server.files["train/seq.in"] = SEQ_IN.encode()
        server.files["train/label"] = LABEL.encode()
        server.files["a.tsv"] = b"who is it ?\t0.2\nwhy is it ?\t0.4\n"
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def tiny_set(home: Server) -> PublicSet:
    intents = Output(
        "intents/tiny/train.jsonl",
        ("train/seq.in", "train/label"),
        converters.labelled_texts,
        2,
        sha256=hashlib.sha256(LINES).hexdigest(),
    )
    corpus = Output("corpus/tiny.txt.gz", ("a.tsv",), converters.rated_queries, 2)
    return PublicSet(
        "tiny", "two texts", "https://example.org/tiny", "CC0", home.base, (intents, corpus)
    )


def _contents(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_set_is_written_in_the_layout_of_the_other_commands(
    tiny_set: PublicSet, tmp_path: Path
) -> None:
    steps: list[str] = []
    fetched = fetch_set(tiny_set, tmp_path / "data", step=steps.append)
    assert fetched.downloaded
    assert fetched.as_published
    assert fetched.files == {"intents/tiny/train.jsonl": 2, "corpus/tiny.txt.gz": 2}
    assert _contents(tmp_path / "data") == sorted(fetched.files)
    assert (tmp_path / "data" / "intents/tiny/train.jsonl").read_bytes() == LINES
    texts = [line.text for line in read_corpus([tmp_path / "data" / "corpus/tiny.txt.gz"])]
    assert sorted(texts) == ["who is it ?", "why is it ?"]
    assert steps == [tiny_set.url(name) for name in ("train/seq.in", "train/label", "a.tsv")]


def test_an_existing_set_is_fetched_again_only_with_force(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    first = fetch_set(tiny_set, tmp_path)
    home.requests.clear()
    again = fetch_set(tiny_set, tmp_path)
    assert again == dataclasses.replace(first, downloaded=False)
    assert home.requests == []
    assert fetch_set(tiny_set, tmp_path, force=True) == first
    assert len(home.requests) == 3


def test_equal_data_make_equal_files(tiny_set: PublicSet, tmp_path: Path) -> None:
    for name in ("one", "two"):
        fetch_set(tiny_set, tmp_path / name)
    for path in _contents(tmp_path / "one"):
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()


@pytest.mark.parametrize("rows", [1, 3])
def test_a_wrong_number_of_lines_is_an_error_and_stores_nothing(
    rows: int, tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    home.files["a.tsv"] = b"".join(b"query %d ?\t0.2\n" % number for number in range(rows))
    with pytest.raises(DownloadError) as caught:
        fetch_set(tiny_set, tmp_path)
    message = str(caught.value)
    assert f"{home.base}: yields {rows} lines of corpus/tiny.txt.gz instead of 2" in message
    assert "nothing was stored" in message
    assert tiny_set.homepage in message
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_may_have_more_lines_than_required_but_not_fewer(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    corpus = dataclasses.replace(tiny_set.outputs[1], exact=False)
    tiny_set = dataclasses.replace(tiny_set, outputs=(corpus,))
    home.files["a.tsv"] = b"one ?\t1\ntwo ?\t1\nthree ?\t1\n"
    fetched = fetch_set(tiny_set, tmp_path)
    assert fetched.files == {"corpus/tiny.txt.gz": 3}
    assert fetched.as_published is None
    home.files["a.tsv"] = b"one ?\t1\n"
    with pytest.raises(DownloadError, match="instead of at least 2"):
        fetch_set(tiny_set, tmp_path, force=True)
    with gzip.open(tmp_path / "corpus/tiny.txt.gz") as lines:
        assert len(lines.readlines()) == 3


def test_different_texts_in_as_many_lines_are_stored_and_reported(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    home.files["train/seq.in"] = SEQ_IN.upper().encode()
    fetched = fetch_set(tiny_set, tmp_path)
    assert fetched.downloaded
    assert fetched.as_published is False


def test_a_file_of_unexpected_format_is_named_and_nothing_is_stored(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    home.files["a.tsv"] = b"<html>moved</html>"
    with pytest.raises(
        DownloadError, match=r"cannot be converted to corpus/tiny.txt.gz: a.tsv: row"
    ):
        fetch_set(tiny_set, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_requested_once_and_named(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    del home.files["train/label"]
    with pytest.raises(DownloadError, match=f"{home.base}/train/label: .*404.*homepage"):
        fetch_set(tiny_set, tmp_path)
    assert home.requests == ["train/seq.in", "train/label"]
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_error_is_survived(tiny_set: PublicSet, home: Server, tmp_path: Path) -> None:
    home.files["a.tsv"] = [503, b"cut short", b"one ?\t1\ntwo ?\t1\n"]
    assert fetch_set(tiny_set, tmp_path).files["corpus/tiny.txt.gz"] == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [(503, "the server answered 503"), (b"cut short", "the transfer was incomplete")],
)
def test_a_permanent_error_is_reported_after_three_attempts(
    answer: bytes | int, message: str, tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    home.files["a.tsv"] = [answer] * 3
    with pytest.raises(DownloadError, match=f"{home.base}/a.tsv: {message}"):
        fetch_set(tiny_set, tmp_path)
    assert home.files["a.tsv"] == []
    assert list(tmp_path.iterdir()) == []


def test_without_a_connection_the_address_and_the_proxy_are_named(
    tiny_set: PublicSet, home: Server, tmp_path: Path
) -> None:
    home.shutdown()
    home.server_close()
    with pytest.raises(DownloadError, match=f"{home.base}/train/seq.in: cannot be reached") as info:
        fetch_set(tiny_set, tmp_path)
    assert "HTTPS_PROXY" in str(info.value)


def test_a_broken_existing_corpus_is_named(tiny_set: PublicSet, tmp_path: Path) -> None:
    fetch_set(tiny_set, tmp_path)
    path = tmp_path / "corpus/tiny.txt.gz"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DownloadError, match=f"{path}: broken gzip .*--force"):
        fetch_set(tiny_set, tmp_path)
