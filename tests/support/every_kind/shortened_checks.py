"""What the inputs of the graphs give on NumPy, beside the runtime."""

import numpy as np

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent_export.kinds.contract import ShortenedEncoder
from pocketintent_export.kinds.registry import export_of


def check_slots(encoder: ModelEncoder, text: str) -> None:
    """The slots of a text give the vector of the runtime."""
    export = export_of(encoder)
    inputs = export.inputs()(text)
    assert inputs.slots is not None and inputs.tokens is not None
    vector = export.encode_slots(inputs.slots, inputs.tokens)
    assert np.abs(vector - encoder.encode(text)).max() < 1e-5


def check_first_slots(encoder: ModelEncoder) -> None:
    """A long text is encoded as its first slots."""
    export = export_of(encoder)
    short = ShortenedEncoder(export, export.inputs(3))
    expected = encoder.encode("turn on the")
    assert np.allclose(short.encode("turn on the lights please"), expected, atol=1e-6)
    assert np.array_equal(short.encode("turn on"), encoder.encode("turn on"))
