r"""Measure recall at 1, 3 and 5 of documents, given questions.

By TF-IDF, BM25, embeddings and ensembles with and without IDF, and each with FCRR and ConvRR.

Prints JSON.

Examples:
  pocketintent-lab evaluate retrieval retrieval/xquad_en --source default --split valid
  pocketintent-lab evaluate retrieval retrieval/xquad_en --source default minilm/ \
      --ensemble ensemble.json --plot questions.png
  pocketintent-lab evaluate retrieval dev-v1.1.json --source default --networks none

DATA is a folder with documents.jsonl and questions.jsonl, a .json file of SQuAD, or the file
…_questions.json(.gz) of QUASAR-T with …_contexts.json(.gz) beside it. Titles are split at random
into train (50 percent), valid (20) and test (30); a question is to find its document among those
of its part. The IDF of words is that of all documents. A source is a model, a file of vectors, or
the folder of a transformer, of which each layer is measured; --ensemble describes mixtures and
ensembles (docs/multiresolution.md).
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketintent.cli.options.settings import add_settings, given_settings, read_settings
from pocketintent.cli.options.shared import Distinct, add, refuse_options
from pocketintent.cli.options.types import SEED, file_name, input_file, input_path
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import list_settings
from pocketintent.training.loop.devices import prepare_torch
from pocketintent_lab.training.convrr.settings import ConvrrSettings

if TYPE_CHECKING:
    from pocketintent.runtime.arrays import FloatArray
    from pocketintent_lab.evaluation.retrieval.data import Part, RetrievalData
    from pocketintent_lab.evaluation.retrieval.embeddings import Sources
    from pocketintent_lab.training.multires.settings import Ensemble

NETWORKS = ("none", "fcrr", "convrr")
"""What is done with an embedding: nothing, or a network that is trained on ``train``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate retrieval``."""
    parser.add_argument("data", type=input_path, metavar="DATA", help="documents and questions")
    parser.add_argument(
        "--source",
        action=Distinct,
        type=file_name,
        nargs="+",
        default=[],
        metavar="SOURCE",
        help="embeddings to measure (none)",
    )
    parser.add_argument(
        "--ensemble",
        action=Distinct,
        type=input_file,
        nargs="+",
        default=[],
        metavar="FILE.json",
        help="ensembles to measure (none)",
    )
    parser.add_argument(
        "--networks",
        action=Distinct,
        choices=NETWORKS,
        nargs="+",
        default=list(NETWORKS),
        help="what to do with the embeddings and ensembles (all three)",
    )
    parser.add_argument(
        "--split",
        choices=("test", "valid"),
        default="test",
        help="the part to measure on (%(default)s)",
    )
    parser.add_argument(
        "--split-seed", type=SEED, default=0, help="seed of the split (%(default)s)"
    )
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16", "float16"),
        default="auto",
        help="precision of the networks' products in training (%(default)s)",
    )
    add(parser, "--device", "--threads")
    add(parser, "--plot", help="draw the questions by t-SNE, with and without the networks")
    names = [setting.name for setting in list_settings(ConvrrSettings)]
    names.remove("network")
    add_settings(parser, ConvrrSettings, title="settings of the networks", options=names)


def run(args: argparse.Namespace) -> int:
    """Measure each system and print the rows."""
    from pocketintent_lab.evaluation.retrieval.readers import read_retrieval

    settings = read_settings(args, ConvrrSettings)
    settings.check()
    if args.networks == ["none"]:
        names = ("precision", *given_settings(args, ConvrrSettings))
        refuse_options(args, names, "has no effect with --networks none")
    parts = read_retrieval(args.data).split(args.split_seed)
    rows = _lexical_rows(parts[args.split])
    pictures: dict[str, FloatArray] = {}
    if args.source or args.ensemble:
        prepare_torch(args.device, args.threads)
        rows += _embedding_rows(parts, settings, args, pictures)
    elif args.plot is not None:
        raise PocketIntentError("--plot requires an embedding: give --source or --ensemble")
    sizes = {
        part: {"documents": len(data.documents), "questions": len(data.questions)}
        for part, data in parts.items()
    }
    print_json({"data": str(args.data), "split": args.split, "parts": sizes, "rows": rows})
    if args.plot is not None:
        from pocketintent_lab.evaluation.retrieval.tsne_plot import plot_questions

        plot_questions(pictures, parts[args.split].questions, args.plot)
        print_note(f"plot: {args.plot}")
    return 0


def _lexical_rows(data: RetrievalData) -> list[dict[str, Any]]:
    from pocketintent_lab.evaluation.retrieval.lexical import score_bm25, score_tfidf
    from pocketintent_lab.evaluation.retrieval.recall import recall

    documents = [document.text for document in data.documents]
    questions = [question.text for question in data.questions]
    systems = {"TF-IDF": score_tfidf, "BM25": score_bm25}
    return [
        {"system": name, **recall(score(documents, questions), data.questions)}
        for name, score in systems.items()
    ]


def _embedding_rows(
    parts: dict[Part, RetrievalData],
    settings: ConvrrSettings,
    args: argparse.Namespace,
    pictures: dict[str, FloatArray],
) -> list[dict[str, Any]]:
    """The rows of all embeddings; the vectors of the best one's questions go to ``pictures``."""
    from pocketintent.runtime.text.tokenizer import simple_tokenize
    from pocketintent_lab.evaluation.retrieval.embeddings import (
        Networks,
        Sources,
        measure_embedding,
    )
    from pocketintent_lab.training.multires.encoder import MultiResolutionEncoder
    from pocketintent_lab.training.multires.idf import InverseDocumentFrequency

    sources = Sources(args.device)
    documents = [document.text for data in parts.values() for document in data.documents]
    idf = InverseDocumentFrequency(map(simple_tokenize, documents))
    networks = Networks(args.networks, settings, args.device, args.precision)
    embeddings = list(product(_ensembles(args, sources), (False, True)))
    rows: list[dict[str, Any]] = []
    best = -1.0
    with Progress("systems") as progress:
        step = progress.count("systems", len(embeddings) * len(args.networks))
        for (name, ensemble), weighted in embeddings:
            encoder = MultiResolutionEncoder(ensemble.with_idf(weighted), idf, sources)
            vectors: dict[str, FloatArray] = {}
            label = f"{name}, IDF" if weighted else name
            for measured in measure_embedding(encoder, parts, args.split, networks):
                rows.append({"system": name, "idf": weighted, **measured.row})
                title = f"{label}, {measured.row['network']}"
                vectors[title] = measured.questions
                step(title)
            if (first := rows[-len(vectors)]["recall@1"]) > best:
                best = first
                pictures.clear()
                pictures.update(vectors)
    return rows


def _ensembles(args: argparse.Namespace, sources: Sources) -> list[tuple[str, Ensemble]]:
    """The embeddings to measure by name: each layer of each source, and the ensembles."""
    from pocketintent_lab.training.multires.settings import Ensemble, Mixture, read_ensemble

    found = []
    for source in args.source:
        name, num_layers = Path(source).name, sources(source).num_layers
        for layer in range(num_layers):
            label = name if num_layers == 1 else f"{name}, layer {layer}"
            found.append((label, Ensemble((Mixture(source, (layer,)),))))
    return found + [(path.stem, read_ensemble(path)) for path in args.ensemble]
