"""Signatures of onnxruntime: programs that run a model change their import only."""
from __future__ import annotations

import enum
import json
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _native
from .session import ModelSource, Session, ValueInfo

_TYPE_NAMES = {1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
               10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
               17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4"}
_PROVIDERS = {"CPUExecutionProvider": "cpu", "DnnlExecutionProvider": "onednn", "CUDAExecutionProvider": "cuda"}


class NodeArg(NamedTuple):
    """An input or output: its name, its shape (numbers, names and None), and its type such as "tensor(float)"."""

    name: str
    shape: List[Union[int, str, None]]
    type: str


class GraphOptimizationLevel(enum.IntEnum):
    """Levels of onnxruntime, mapped to those of --optimize."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class SessionOptions:
    """The options of onnxruntime's class that have a counterpart."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL


def get_available_providers() -> List[str]:
    """The providers of this machine, by onnxruntime's names."""
    report = json.loads(_native.command("providers", "{}", None, 0, None, None))
    present = {row["name"] for row in report["providers"] if row["available"]}
    return [name for name, own in _PROVIDERS.items() if own in present]


class InferenceSession(Session):
    """A Session with onnxruntime's signatures.

    Args:
        path_or_bytes: the path of an .onnx file, or the model's bytes.
        sess_options: SessionOptions.
        providers: names such as "CPUExecutionProvider"; those that ortool does not have are left out with a warning.
        options: more options of Session.
    """

    def __init__(self, path_or_bytes: ModelSource, sess_options: Optional[SessionOptions] = None,
                 providers: Optional[Sequence[Union[str, Tuple[str, Any]]]] = None, provider_options: Any = None,
                 **options: Any) -> None:
        if sess_options is not None:
            options.setdefault("threads", sess_options.intra_op_num_threads or None)
            level = GraphOptimizationLevel(sess_options.graph_optimization_level)
            options.setdefault("optimize", {0: "none", 1: "basic", 2: "extended"}.get(int(level)))
        present = get_available_providers()
        wanted = [each if isinstance(each, str) else each[0] for each in providers or present[:1]]
        for name in wanted:
            if name not in present:
                warnings.warn(f"the provider {name} is not available; available are {', '.join(present)}", stacklevel=2)
        self._providers = [name for name in wanted if name in present] or ["CPUExecutionProvider"]
        super().__init__(path_or_bytes, provider=",".join(_PROVIDERS[name] for name in self._providers), **options)

    def run(self, output_names: Optional[Sequence[str]], input_feed: Dict[str, Any],  # type: ignore[override]
            run_options: Any = None) -> List[Any]:
        """Runs the model as Session.run() does, but returns copies, which may be written to, as onnxruntime's."""
        return [_writable(output) for output in self._run(output_names or None, input_feed, None, 0, 0)]

    def get_inputs(self) -> List[NodeArg]:
        """The inputs without a default value."""
        return [_node_arg(info) for info in self.inputs]

    def get_outputs(self) -> List[NodeArg]:
        """The outputs."""
        return [_node_arg(info) for info in self.outputs]

    def get_providers(self) -> List[str]:
        """The providers of the session, by onnxruntime's names."""
        return list(self._providers)


def _writable(output: Any) -> Any:
    if isinstance(output, list):
        return [_writable(element) for element in output]
    return numpy.array(output) if isinstance(output, numpy.ndarray) and not output.flags.writeable else output


def _node_arg(info: ValueInfo) -> NodeArg:
    element = _TYPE_NAMES.get(info.element_type, "undefined")
    kind = f"tensor({element})" if info.kind == "tensor" else info.type_text
    shape: List[Union[int, str, None]] = [None if size == "?" else size for size in info.shape or ()]
    return NodeArg(info.name, shape, kind)
