"""From a torch module to an ONNX or TFLite file.

Imports torch and the runtime's errors; onnx, onnxscript and litert-torch when a file is written.
"""
