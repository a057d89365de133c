"""The registry of writers by file format; a new format is a module and a line here."""

from __future__ import annotations

from pocketintent_export.writers.contract import Writer
from pocketintent_export.writers.onnx import write_onnx
from pocketintent_export.writers.tflite import write_tflite

WRITERS: dict[str, Writer] = {"onnx": write_onnx, "tflite": write_tflite}
"""The function that writes a graph of each format."""
