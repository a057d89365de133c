"""The exportable encoder kinds; a new kind of this package is a line in ``_KINDS``."""

from __future__ import annotations

from typing import Any

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.plugins import installed_plugins
from pocketintent_export.kinds.charemb import CharembExport
from pocketintent_export.kinds.combined import CombinedExport
from pocketintent_export.kinds.contextual import ContextualExport
from pocketintent_export.kinds.contract import KindExport
from pocketintent_export.kinds.static import StaticExport
from pocketintent_export.kinds.transformer import TransformerExport

GROUP = "pocketintent.export"
"""Entry points of other distributions: a class derived from ``KindExport``, by encoder kind."""

_KINDS: dict[str, type[KindExport[Any]]] = {
    "static": StaticExport,
    "charemb": CharembExport,
    "combined": CombinedExport,
    "contextual": ContextualExport,
    "transformer": TransformerExport,
}


def register(kind: str, export_class: type[KindExport[Any]]) -> None:
    """Register how encoders of a kind are exported."""
    _KINDS[kind] = export_class


def export_of(encoder: ModelEncoder) -> KindExport[Any]:
    """How an encoder is exported; a PocketIntentError if encoders of its kind cannot be."""
    kind = encoder.kind
    if kind not in _KINDS:
        plugins = installed_plugins(GROUP)
        if kind not in plugins:
            raise PocketIntentError(f"encoders of kind {kind!r} cannot be exported")
        register(kind, plugins[kind].load())
    return _KINDS[kind](encoder)
