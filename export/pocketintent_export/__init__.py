"""Export a recogniser to ONNX or TFLite, and prove that it equals the runtime."""
