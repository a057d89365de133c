"""Export a recogniser to ONNX or TFLite, and prove that it equals the runtime."""

from __future__ import annotations

from pocketintent_export.export import export_folder
from pocketintent_export.proof import ProofError

__all__ = ["ProofError", "export_folder"]
