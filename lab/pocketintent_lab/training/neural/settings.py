"""Settings of neural embeddings: masks, tuned layers, and the forms of a text's vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, setting

Form = Literal["neural", "neural-1", "cls", "avg", "cls-tuned", "avg-tuned", "cls-diff", "avg-diff"]
"""What a text's vector is: the change of the tuned layers (``neural``, and ``neural-1`` after one
epoch), or the last hidden state of the first token (``cls``) or the mean of all tokens (``avg``),
of the model as it is, of the tuned model, or the difference of the two."""

FORMS: tuple[Form, ...] = get_args(Form)


class Blueprint(NamedTuple):
    """A periodic mask, used with every shift."""

    shown: int
    """Neighbouring tokens that are shown, k."""
    masked: int
    """Neighbouring tokens that are masked, m."""

    @classmethod
    def parse(cls, text: str) -> Blueprint:
        """Read a blueprint such as ``"2,1"``.

        Raises:
            PocketIntentError: The text is not two whole numbers of at least 1.
        """
        parts = text.split(",")
        if len(parts) != 2 or not all(part.isdecimal() and 0 < int(part) < 100 for part in parts):
            raise PocketIntentError(
                f"{text!r} is not a blueprint; write the number of tokens that are shown and the "
                "number that are masked, 1 to 99, such as 2,1"
            )
        return cls(int(parts[0]), int(parts[1]))


BLUEPRINTS = (Blueprint(2, 1), Blueprint(1, 1), Blueprint(1, 2), Blueprint(1, 3))
"""The blueprints of the paper."""

LAYERS: dict[str, tuple[str, ...]] = {
    "head": (
        "cls.predictions.transform.*",
        *("lm_head.dense.bias", "lm_head.layer_norm.*"),
        *("vocab_transform.bias", "vocab_layer_norm.*"),
    ),
    "block": (
        *("*.layer.{last}.output.dense.bias", "*.layer.{last}.output.LayerNorm.*"),
        *("*.layer.{last}.ffn.lin2.bias", "*.layer.{last}.output_layer_norm.*"),
    ),
}
"""The two sets of layers of the paper, under the names of BERT, RoBERTa and DistilBERT: the
transform before the scores of the tokens, and the output of the last block."""


@dataclass(frozen=True)
class TuningSettings(Settings):
    """How a model is tuned on one text."""

    tuning_epochs: int = setting(10, "passes over the masked copies of a text", least=1)
    tuning_rate: float = setting(0.01, "learning rate of micro-tuning (Adam)", above=0)
    tuning_copies: int = setting(
        12, "masked copies of a step; the paper's blueprints make 12 of a text", least=1
    )


@dataclass(frozen=True)
class NeuralSettings:
    """What a text's vector is, and how the model is tuned for it."""

    form: Form = "neural"
    """What the vector is made of."""
    layers: tuple[str, ...] = ("head",)
    """Names of :data:`LAYERS`, or patterns of names of parameters; ``{last}`` is the number of
    the last block. Only parameters of one dimension are tuned."""
    blueprints: tuple[Blueprint, ...] = BLUEPRINTS
    """The masks."""
    tuning: TuningSettings = TuningSettings()
    """How the model is tuned."""

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        self.tuning.check()
        if self.form not in FORMS:
            raise PocketIntentError(f"form must be one of {', '.join(FORMS)}, not {self.form!r}")
        if not self.layers or not self.blueprints:
            raise PocketIntentError("name at least one layer and one blueprint")

    @property
    def epochs(self) -> int:
        """Passes over the masked copies of a text."""
        return 1 if self.form == "neural-1" else self.tuning.tuning_epochs

    @property
    def pooling(self) -> Literal["cls", "avg"] | None:
        """How the hidden states of a text become one vector; None if they are not used."""
        return None if self.form.startswith("neural") else ("cls" if "cls" in self.form else "avg")
