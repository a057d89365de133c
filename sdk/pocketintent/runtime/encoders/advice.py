"""What a message advises to do about a model."""

from __future__ import annotations

from pocketintent.runtime.files.model_file import BOT, is_model_file, load_model


def how_to_compress(source: str) -> str:
    """What to do about a model that is not compressed, for a message.

    Args:
        source: The model file, or a bot file, whose bot `compress` would drop.
    """
    if is_model_file(source) and BOT in load_model(source).manifest:
        return (
            "compress the model that the bot was built from: pocketintent compress MODEL --out "
            f"small.safetensors; save the bot's templates, IntentRecognizer.load({source!r})."
            "save('my_bot.json'), and give both in place of the bot file: --model "
            "small.safetensors --templates my_bot.json"
        )
    return f"compress the model first: pocketintent compress {source} --out small.safetensors"
