"""The C core of pocketintent in Python: opens a bot file, matches texts, and edits the bot.

``pocketintent`` uses it by itself where it is installed. It also works alone, without NumPy:

    from pocketintent_native import NativeBot

    bot = NativeBot.open("my_bot.safetensors")
    bot.match("could you switch the lamp off please").intent
    bot = bot.add_intent("jazz", ["play some jazz"])
    bot.save("my_bot.safetensors")

ImportError if the shared library, which the package contains, cannot be loaded.
"""

from pocketintent_native.bot import NativeBot as NativeBot
from pocketintent_native.library import NativeError as NativeError
from pocketintent_native.library import load_library
from pocketintent_native.results import NativeCandidate as NativeCandidate
from pocketintent_native.results import NativeMatch as NativeMatch

__version__ = "0.1.0"

KINDS = ("static", "contextual", "transformer", "charemb", "combined")
"""The kinds of models that the core runs."""

__all__ = ["KINDS", "NativeBot", "NativeCandidate", "NativeError", "NativeMatch", "__version__"]

if load_library().version != __version__:
    raise ImportError(
        f"pocketintent_native {__version__} contains the library {load_library().version}; "
        "install pocketintent-native again"
    )
