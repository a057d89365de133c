"""The side that ships to the device: from a text and a model file to a match.

Imports NumPy, orjson, safetensors and threadpoolctl; no other side of the project.
"""
