"""From corpus files to the folder of a masked language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import torch

from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import new_folder
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent_lab.training.masked_lm.data import TOKENIZER, MaskedBatches, prepare_texts
from pocketintent_lab.training.masked_lm.objective import MaskedLmTraining
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings
from pocketintent_lab.training.masked_lm.tokenizer import to_transformers

RECORD = "training.json"
"""The file of a model's folder with the record of its training."""

_METHOD = "masked-lm"
_FILES = {
    RECORD,
    "config.json",
    "model.safetensors",
    "special_tokens_map.json",  # of transformers before version 5
    "tokenizer.json",
    "tokenizer_config.json",
}


def train_masked_lm(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: MaskedLmSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train a BERT on a corpus and save it as transformers does.

    Until the model is saved, the work folder ``<out>.work`` contains the tokenizer, the encoded
    corpus and the last checkpoint.

    Args:
        paths: Corpus files, see :func:`read_corpus`.
        out: The folder to write: weights, configuration, tokenizer, and ``training.json`` with
            the record of the run. A folder that this function wrote is replaced, unless it has
            other files; of a symbolic link, the folder to which it points.
        settings: The settings of the run.
        options: The device, whether the run is resumed, and who receives its progress.
        precision: Precision of the products, see :func:`choose_precision`.
        max_minutes: Training ends after this time; None for no limit.

    Returns:
        The record of the run, with ``seconds``.

    Raises:
        PocketIntentError: Bad settings or corpus; ``out`` is a file, or a folder of something
            else; the work folder of an unfinished run, and neither ``resume`` nor ``restart``;
            or a folder made with other settings or corpora.
        MissingExtraError: tokenizers or transformers is not installed.
    """
    settings.check()
    out = Path(out)
    if out.is_symlink():
        out = out.resolve()
    _check_replaceable(out)
    require("transformers", "teacher")
    fix_cublas_workspace(options.device)
    dtype = choose_precision(precision, torch.device(options.device))
    identity = asdict(settings) | {"precision": str(dtype)}
    with open_run(out, paths, identity, options, warn_only=True) as run:
        if run.finished:
            return run.record
        if run.leads:
            prepare_texts(paths, run.folder, settings, run.report)
        run.workers.wait()
        batches = MaskedBatches.load(run.folder, settings)
        task = MaskedLmTraining(
            new_model(settings, batches.vocabulary),
            batches,
            device=run.device,
            workers=run.workers,
            precision=precision,
        )
        trainer = run.train(task, max_minutes=max_minutes)
        training = {
            "method": _METHOD,
            "corpora": run.inputs,
            "settings": asdict(settings),
            "languages": list(options.languages),
            "vocabulary": batches.vocabulary,
            "texts": {"training": len(batches.training), "validation": len(batches.validation)},
            "tokens_per_epoch": batches.tokens_per_epoch,
            "history": trainer.history,
            "precision": str(task.precision).rpartition(".")[2],
            "command": options.command,
        }
        if run.leads:
            _save(out, task.model, run.folder / TOKENIZER, training)
        run.record.update(training | {"seconds": round(trainer.seconds, 1)})
    return run.record


def new_model(settings: MaskedLmSettings, vocabulary: int) -> Any:
    """A ``BertForMaskedLM`` with random weights.

    Attention is computed by plain products: torch's fused attention is several times slower on a
    CPU when it computes gradients.

    Args:
        settings: The settings of the run.
        vocabulary: Number of tokens.
    """
    transformers = require("transformers", "teacher")
    config = transformers.BertConfig(
        vocab_size=vocabulary,
        hidden_size=settings.dim,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.hidden,
        max_position_embeddings=settings.max_tokens,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        return transformers.BertForMaskedLM(config)


def _check_replaceable(out: Path) -> None:
    """Raise PocketIntentError unless a folder is missing, empty or a model of this module."""
    if out.exists() and not out.is_dir():
        raise PocketIntentError(f"{out} is a file; name a folder")
    if not out.exists() or not any(out.iterdir()):
        return
    others = sorted({path.name for path in out.iterdir()} - _FILES)
    if others or not _is_record(out / RECORD):
        example = f", such as {others[0]}" if others else ""
        raise PocketIntentError(
            f"{out} has other files in it{example}; name a new or an empty folder"
        )


def _is_record(path: Path) -> bool:
    try:
        record = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(record, dict) and record.get("method") == _METHOD


def _save(out: Path, model: Any, tokenizer: Path, training: dict[str, Any]) -> None:
    """Write the folder; an old one gives way when the new one is complete."""
    _check_replaceable(out)  # files may have been put there during the training
    max_tokens = int(model.config.max_position_embeddings)
    with new_folder(out, replace=True) as folder:
        model.cpu().save_pretrained(folder)
        to_transformers(tokenizer, max_tokens).save_pretrained(folder)
        (folder / RECORD).write_bytes(orjson.dumps(training, option=orjson.OPT_INDENT_2))
