"""ortool: run, inspect, optimize, quantize and benchmark ONNX models.

    session = ortool.Session("model.onnx", threads=4)
    scores = session.run(None, {"image": pixels})[0]
"""
import os as _os

import numpy as _numpy

from . import _native, _values
from ._native import Stop, Value
from .commands import bench, command, inspect, optimize, quantize
from .errors import Error, Status
from .inference_session import GraphOptimizationLevel, InferenceSession, NodeArg, SessionOptions, get_available_providers
from .session import Session, ValueInfo

__all__ = ["Error", "GraphOptimizationLevel", "InferenceSession", "NodeArg", "Session", "SessionOptions", "Status", "Stop", "Value",
           "ValueInfo", "bench", "command", "define_operators", "get_available_providers", "inspect", "optimize", "quantize",
           "register_operators"]
__version__ = _native.version()
_native.set_functions(Error, _values.to_value, _values.from_value, _numpy.asarray, _numpy.array)


def register_operators(library: "str | _os.PathLike[str]") -> None:
    """Loads a library of custom operators, for all sessions that are made from then on."""
    _native.register_operators(_os.fspath(library))


def define_operators(text: str) -> None:
    """Defines operators by ONNX functions in the textual syntax, for all models that are loaded from then on."""
    _native.define_operators(text)
