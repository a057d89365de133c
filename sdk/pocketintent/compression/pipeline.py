"""Compression from end to end: an encoder is pruned, quantised, and given what templates need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Literal

from pocketintent.compression.background import add_background
from pocketintent.compression.kinds import tables_of, words_of
from pocketintent.compression.prune import (
    keep_frequent,
    keep_longest,
    read_sentences,
    with_compact_counts,
    without_ngrams,
)
from pocketintent.compression.quantise import (
    StageProgress,
    add_template_quantizer,
    quantise_encoder,
    quantise_network,
)
from pocketintent.compression.settings import QuantisationSettings
from pocketintent.runtime.encoders.contract import ModelEncoder


def compress_encoder(
    encoder: ModelEncoder,
    settings: QuantisationSettings | None,
    *,
    keep: int | None = None,
    prune: Literal["frequency", "norm"] = "frequency",
    ngrams: bool = True,
    texts: Iterable[str] | None = None,
    seed: int = 0,
    report: Callable[[str], object],
    progress: StageProgress,
) -> tuple[ModelEncoder, ModelEncoder]:
    """Prune and quantise an encoder; returns the pruned one, and the small one made of it.

    Without ``settings`` the codes of a quantised encoder stay. ``keep`` words are left of it, by
    ``prune``, and no n-grams unless ``ngrams``. The corpus ``texts``, which can be iterated several
    times, is for pruning by norm, a codebook for templates and a background. ``report`` gets lines
    of progress. The errors are those of the steps.
    """
    pruned = encoder if ngrams else without_ngrams(encoder)
    if keep is not None and keep < len(words_of(pruned).vocabulary):
        if prune == "frequency":
            pruned = keep_frequent(pruned, keep)
        else:
            pruned = keep_longest(pruned, read_sentences(pruned, texts or ()), keep)
    small = pruned
    if settings is not None:
        small = quantise_encoder(pruned, seed=seed, progress=progress, **asdict(settings))
    small = quantise_network(small)
    if texts is not None:
        report("fitting the codebook of templates and the background")
        small = add_background(add_template_quantizer(small, texts, seed=seed), texts, seed=seed)
    parts = {"background": "the background", "template_quantizer": "the codebook for templates"}
    if lost := [parts[n] for n in parts if getattr(encoder, n) and not getattr(small, n)]:
        why = "since the new vectors have another basis"
        report(f"left out, {why}: {' and '.join(lost)}; give --corpus for new ones")
    made = dict(small.manifest.get("compression", {}))
    if keep is not None or "keep" not in made:
        made |= {"keep": keep, "prune": prune}
    if not ngrams and "ngrams" in tables_of(encoder):
        made["ngrams"] = False
    # The figures of an earlier compression are not those of this model.
    manifest = {key: value for key, value in small.manifest.items() if key != "quality"}
    small = with_compact_counts(small).replace(manifest=manifest | {"compression": made})
    return pruned, small
