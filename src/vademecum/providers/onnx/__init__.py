"""all-MiniLM-L6-v2 by onnxruntime: the optional transformer. Its packages come with the extra `onnx`."""

from vademecum.providers.onnx.minilm import MiniLM

__all__ = ["MiniLM"]
