"""From a torch module to an ONNX or TFLite file.

Imports torch; onnx, onnxscript and litert-torch when a file is written.
"""
