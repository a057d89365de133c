"""A masked language model with random weights, too small to be of use but complete."""

from pathlib import Path

from pocketintent_lab.training.masked_lm.pipeline import new_model
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings
from pocketintent_lab.training.masked_lm.tokenizer import learn_tokenizer, to_transformers

TEXTS = [
    "turn on the light in the kitchen",
    "turn off the lamp",
    "play some music",
    "what is the weather in town?",
]
SMALL = MaskedLmSettings(
    layers=2, dim=8, heads=2, hidden=12, vocabulary=60, max_tokens=16, batch_tokens=64
)


def write_masked_model(folder: Path) -> Path:
    """Write the model in the way of ``train masked-lm``, untrained; returns the folder."""
    folder.mkdir()
    tokenizer = learn_tokenizer(TEXTS, SMALL.vocabulary, SMALL.max_tokens)
    tokenizer.save(str(folder / "tokenizer.json"))
    to_transformers(folder / "tokenizer.json", SMALL.max_tokens).save_pretrained(folder)
    new_model(SMALL, tokenizer.get_vocab_size()).save_pretrained(folder)
    return folder
