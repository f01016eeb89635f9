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
from .inference_session import (InferenceSession, ModelMetadata, NodeArg, get_all_providers, get_available_providers, get_device,
                                set_default_logger_severity)
from .operators import InputType, Operator, TensorType, operator, register_operator
from .ort_value import IOBinding, OrtValue
from .session import Feedback, Profile, ProfileEvent, Session, ValueInfo
from .session_options import ExecutionMode, GraphOptimizationLevel, RunOptions, SessionOptions
from .shards import calibrate, evaluate, merge, shard_names

__all__ = ["Error", "ExecutionMode", "Feedback", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "InputType",
           "ModelMetadata", "NodeArg", "Operator", "OrtValue", "Profile", "ProfileEvent", "RunOptions", "Session",
           "SessionOptions", "Status", "Stop", "TensorType", "Value", "ValueInfo", "bench", "calibrate", "command",
           "define_operators", "evaluate", "get_all_providers", "get_available_providers", "get_device", "inspect", "merge",
           "operator", "optimize", "quantize", "register_operator", "register_operators", "set_default_logger_severity",
           "shard_names"]
__version__ = _native.version()
_native.set_functions(Error, _values.to_value, _values.from_value, _numpy.asarray)


def register_operators(library: "str | _os.PathLike[str]") -> None:
    """Loads a library of custom operators, for all sessions that are made from then on."""
    _native.register_operators(_os.fspath(library))


def define_operators(text: str) -> None:
    """Defines operators by ONNX functions in the textual syntax, for all models that are loaded from then on."""
    _native.define_operators(text)


_NOT_CARRIED = {"capi": "exceptions are ortool.Error", "datasets": "give the path of a model", "quantization": "use ortool.quantize()",
                "training": "ortool runs models for inference", "set_seed": "give random nodes a seed", "SparseTensor": "give dense arrays",
                "OrtDevice": "values are in host memory", "LoraAdapter": "merge the adapter into the model"}


def __getattr__(name: str) -> object:
    if name in _NOT_CARRIED:
        raise AttributeError(f"onnxruntime's {name} has no counterpart in ortool: {_NOT_CARRIED[name]}")
    raise AttributeError(f"module 'ortool' has no attribute '{name}'")
