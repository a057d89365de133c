"""The public data sets behind the published figures and the default model, with their addresses.

Nothing is tuned on a ``test`` file, and the default model is not trained on any line of
``intents/`` or ``sts/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketintent.evaluation.public_data import converters

GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Output:
    """An output file of a data set."""

    path: str
    """Path relative to the data folder."""
    sources: tuple[str, ...]
    """Raw files, relative to the ``base`` of the set, in the order of the converter's arguments."""
    convert: Callable[[Sequence[Path]], Iterator[str]]
    """The converter, from raw files to lines."""
    num_lines: int
    """Required number of lines."""
    exact: bool = True
    """Whether ``num_lines`` is exact; else it is a minimum."""
    sha256: str | None = None
    """Checksum of the file that the published figures were measured on, if they depend on it."""

    @property
    def packed(self) -> bool:
        """Whether the file is compressed with gzip."""
        return self.path.endswith(".gz")


@dataclass(frozen=True)
class PublicSet:
    """A data set: description, licence, and output files."""

    name: str
    about: str
    homepage: str
    licence: str
    base: str
    """Base address of the raw files."""
    outputs: tuple[Output, ...]

    def url(self, source: str) -> str:
        """Return the address of a raw file."""
        return f"{self.base}/{source}"


def _intents(folder: str, split: str, num_lines: int, sha256: str, source: str) -> Output:
    return Output(
        f"intents/{folder}/{split}.jsonl",
        (f"{source}/seq.in", f"{source}/label"),
        converters.labelled_texts,
        num_lines,
        sha256=sha256,
    )


def _out_of_scope(split: str, num_lines: int, sha256: str) -> Output:
    return Output(
        f"intents/clinc150/oos_{split}.jsonl",
        (f"oos/{split}/seq.in",),
        converters.out_of_scope_texts,
        num_lines,
        sha256=sha256,
    )


def _pairs(split: str, num_lines: int, sha256: str) -> Output:
    return Output(
        f"sts/stsb/{split}.jsonl",
        (f"stsb-en-{split}.csv",),
        converters.scored_pairs,
        num_lines,
        sha256=sha256,
    )


CLINC150 = PublicSet(
    "clinc150",
    "150 intents of an assistant, and out-of-scope utterances",
    "https://github.com/clinc/oos-eval",
    "CC BY 3.0",
    f"{GITHUB}/jianguoz/Few-Shot-Intent-Detection/main/Datasets/CLINC150",
    (
        _intents(
            "clinc150",
            "train",
            15_000,
            "a72e8f5e66164a3f9a2699c84c83270f6fd84c817a053a92180541309f721b5b",
            "train",
        ),
        _intents(
            "clinc150",
            "valid",
            3_000,
            "06f97ba3cbfafe01cac99b04f4df0a32c0eef754b55685bb3fd17dc66d241227",
            "valid",
        ),
        _intents(
            "clinc150",
            "test",
            4_500,
            "ea313ca0c411f2239ba67289a77171752fdd8af4ab1aca585795e2756770a2e0",
            "test",
        ),
        _out_of_scope(
            "train", 100, "a6072bf1b5d09346d9675646fbaffe9d6c828037660b1d65d71cf1388a108b93"
        ),
        _out_of_scope(
            "valid", 100, "b6c8ecc280f4c327d095334b088222349c236bfca89697f35262ed4b8a989f7d"
        ),
        _out_of_scope(
            "test", 1_000, "9a11cc0176c2d6e9e38d2c3c13321443ad1081d5945b9739507b9db2b9550c87"
        ),
    ),
)

BANKING77 = PublicSet(
    "banking77",
    "77 intents of one domain, the customer service of a bank",
    "https://github.com/PolyAI-LDN/task-specific-datasets",
    "CC BY 4.0",
    # The original has no validation split; this copy holds out 20 utterances of each intent.
    f"{GITHUB}/jianguoz/Few-Shot-Intent-Detection/main/Datasets/BANKING77",
    (
        _intents(
            "banking77",
            "train",
            8_622,
            "72232a897b35568f5ce4c40f7e0f942ec4219ef9448062cf71abc93318ead581",
            "train",
        ),
        _intents(
            "banking77",
            "valid",
            1_540,
            "eb92f94e644ffb0291a8a6d204b58af2573776fd66414923e88fbf5d4d2e929f",
            "valid",
        ),
        _intents(
            "banking77",
            "test",
            3_080,
            "05951130dd30beb4f7b303d4e29ca7f8a87b800b7fc569a4f0bda26d9d8ac07b",
            "test",
        ),
    ),
)

SNIPS = PublicSet(
    "snips",
    "7 intents of a voice assistant, in the usual split (Goo et al. 2018)",
    "https://github.com/sonos/nlu-benchmark",
    "CC0",
    f"{GITHUB}/MiuLab/SlotGated-SLU/master/data/snips",
    (
        _intents(
            "snips",
            "train",
            13_084,
            "d2c31c712ea0fcf5c9d5c9a634180638ec03fa8d4752f87412d4376723a60eee",
            "train",
        ),
        _intents(
            "snips",
            "valid",
            700,
            "e9dcd8a572cbe0fb189d7567146a66547395b7da80e53185c782eae64cf250d2",
            "valid",
        ),
        _intents(
            "snips",
            "test",
            700,
            "4710b9c1ebe265a956e4a53fc565a635713beb5ce9b9c6f8d407ab695e823540",
            "test",
        ),
    ),
)

STSB = PublicSet(
    "stsb",
    "STS Benchmark: pairs of sentences, scored 0 to 5 by people",
    "https://github.com/PhilipMay/stsb-multi-mt",
    "CC BY-SA 4.0",
    f"{GITHUB}/PhilipMay/stsb-multi-mt/main/data",
    (
        _pairs("train", 5_749, "55305ee4a7dadc76abef1b1d58402cee796abba215d4d353d7e459ff4346b438"),
        _pairs("dev", 1_500, "1dc0c3d52e183c3d680b452147e1a23c38f29fd69c7aec261190e398e56e5d34"),
        _pairs("test", 1_379, "ad73fbfd0483c644051d6abd8c3d2e008db0713e457d48bbc08c5ba809d072c4"),
    ),
)

QUERIES = PublicSet(
    "queries",
    "search questions",
    "https://github.com/google-research-datasets/query-wellformedness",
    "CC BY-SA 4.0",
    f"{GITHUB}/google-research-datasets/query-wellformedness/master",
    (
        Output(
            "corpus/queries.txt.gz",
            ("train.tsv", "dev.tsv", "test.tsv"),
            converters.rated_queries,
            25_100,
        ),
    ),
)

MULTIDOGO = PublicSet(
    "multidogo",
    "messages of customers to the support of six businesses",
    "https://github.com/awslabs/multi-domain-goal-oriented-dialogues-dataset",
    "CDLA-Permissive 1.0",
    f"{GITHUB}/awslabs/multi-domain-goal-oriented-dialogues-dataset/master/data/paper_splits"
    "/splits_annotated_at_sentence_level",
    (
        Output(
            "corpus/multidogo.txt.gz",
            tuple(
                f"{domain}/{split}.tsv"
                for domain in ("airline", "fastfood", "finance", "insurance", "media", "software")
                for split in ("train", "dev", "test")
            ),
            converters.customer_sentences,
            47_000,
            exact=False,
        ),
    ),
)

TOPICAL_CHAT = PublicSet(
    "topical_chat",
    "open-domain chat, the validation and test conversations",
    "https://github.com/alexa/Topical-Chat",
    "CDLA-Sharing 1.0",
    f"{GITHUB}/alexa/Topical-Chat/master/conversations",
    (
        Output(
            "corpus/topical_chat.txt.gz",
            ("valid_freq.json", "valid_rare.json", "test_freq.json", "test_rare.json"),
            converters.chat_sentences,
            80_000,
            exact=False,
        ),
    ),
)

SGD = PublicSet(
    "sgd",
    "Schema-Guided Dialogue: a user and an assistant, 20 domains (a few hundred MB)",
    "https://github.com/google-research-datasets/dstc8-schema-guided-dialogue",
    "CC BY-SA 4.0",
    f"{GITHUB}/google-research-datasets/dstc8-schema-guided-dialogue/master",
    (
        Output(
            "corpus/sgd.txt.gz",
            tuple(
                f"{split}/dialogues_{number:03}.json"
                for split, num_files in (("train", 127), ("dev", 20), ("test", 34))
                for number in range(1, num_files + 1)
            ),
            converters.dialogue_turns,
            230_000,
            exact=False,
        ),
    ),
)

PUBLIC_SETS = {
    public_set.name: public_set
    for public_set in (
        CLINC150,
        BANKING77,
        SNIPS,
        STSB,
        QUERIES,
        MULTIDOGO,
        TOPICAL_CHAT,
        SGD,
    )
}
"""All data sets by name."""
