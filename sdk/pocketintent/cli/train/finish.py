"""``pocketintent train finish``: weight trained words and add n-gram dimensions."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import read_settings
from pocketintent.cli.output import print_json
from pocketintent.training.finish.settings import FinishSettings

FINISH_EXAMPLES = """\
examples:
  pocketintent train finish trained.safetensors --out finished.safetensors
  pocketintent train finish trained.safetensors --out finished.safetensors --subword-dim 256
  pocketintent train words --from glove.6B.200d.txt --limit 50000 --out glove.safetensors
  pocketintent train finish glove.safetensors --corpus chats.txt.gz --out finished.safetensors"""


_FINISH_HELP = {
    "trained_dim": "principal components kept of the trained part; 0 keeps all dimensions",
    "norm_power": "a word's trained length counts to this power",
    "frequency_weight": "a of a word's weight a / (a + its share of the text); 0 for no weights",
    "subword_dim": "dimensions of the part made of character n-grams; 0 for none",
    "subword_scale": "length of that part against 1 of the trained part",
    "min_n": "shortest n-gram",
    "max_n": "longest n-gram",
    "num_buckets": "size of the n-grams' hash table",
    "seed": "seed of the n-grams' random vectors",
}


def run_finish(args: argparse.Namespace) -> int:
    """Finish a trained model and print its sizes."""
    from pocketintent.runtime.encoders.registry import load_kind
    from pocketintent.runtime.encoders.static import StaticEncoder
    from pocketintent.runtime.errors import PocketIntentError
    from pocketintent.runtime.files.model_file import save_model
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.finish.pipeline import count_words, finish_encoder

    encoder = load_kind(args.model, StaticEncoder)
    if args.corpus is not None:
        encoder = encoder.replace(counts=count_words(encoder, read_texts(args.corpus)))
    elif encoder.counts is None:
        raise PocketIntentError(
            f"{args.model}: does not know how frequent its words are; give --corpus"
        )
    settings = read_settings(args, FinishSettings)
    finished = finish_encoder(encoder, settings)
    save_model(args.out, *finished.to_model_file_parts())
    print_json({"out": str(args.out), "words": len(finished.words), "dim": finished.dim})
    return 0
