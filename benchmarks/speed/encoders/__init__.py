"""The encoders and the texts of ``benchmarks/speed/encoding.py``, and its plot."""
