"""Signatures of onnxruntime: programs that run a model change their import only."""
from __future__ import annotations

import json
import os
import re
import threading
import time
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _native
from .ort_value import TYPE_NAMES, IOBinding, OrtValue
from .session import ModelSource, Profile, Session, ValueInfo
from .session_options import RunOptions, SessionOptions

_OWN_TYPES = {"float32": "float", "float64": "double"}
_PROVIDERS = {"CPUExecutionProvider": "cpu", "DnnlExecutionProvider": "onednn", "CUDAExecutionProvider": "cuda"}


class NodeArg(NamedTuple):
    """An input or output: its name, its shape (numbers, names and None), and its type such as "tensor(float)"."""

    name: str
    shape: List[Union[int, str, None]]
    type: str


class ModelMetadata(NamedTuple):
    """What a model file says of itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    custom_metadata_map: Dict[str, str]


def get_available_providers() -> List[str]:
    """The providers of this machine, by onnxruntime's names."""
    report = json.loads(_native.command("providers", "{}", None, 0, None, None, None))
    present = {row["name"] for row in report["providers"] if row["available"]}
    return [name for name, own in _PROVIDERS.items() if own in present]


def get_all_providers() -> List[str]:
    """The providers that ortool may be built with, by onnxruntime's names."""
    return list(_PROVIDERS)


def get_device() -> str:
    """Where models run: "CPU"."""
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Does nothing: the library logs nothing."""


class InferenceSession(Session):
    """A Session with onnxruntime's signatures.

    Args:
        path_or_bytes: the path of an .onnx file, or the model's bytes.
        sess_options: SessionOptions.
        providers: names such as "CPUExecutionProvider"; those that ortool does not have are left out with a warning.
        provider_options: not used.
        disabled_optimizers: names of passes to skip: `ortool optimize --list-passes` lists them.
        options: more options of Session.
    """

    def __init__(self, path_or_bytes: ModelSource, sess_options: Optional[SessionOptions] = None,
                 providers: Optional[Sequence[Union[str, Tuple[str, Any]]]] = None, provider_options: Any = None,
                 disabled_optimizers: Optional[Sequence[str]] = None, **options: Any) -> None:
        self._options = sess_options if sess_options is not None else SessionOptions()
        for name, value in self._options.own().items():
            options.setdefault(name, value)
        if disabled_optimizers:
            options.setdefault("skip_pass", list(disabled_optimizers))
        options.pop("enable_fallback", None)
        present = get_available_providers()
        wanted = [each if isinstance(each, str) else each[0] for each in providers or present[:1]]
        for name in wanted:
            if name not in present:
                warnings.warn(f"the provider {name} is not available; available are {', '.join(present)}", stacklevel=2)
        self._providers = [name for name in wanted if name in present] or ["CPUExecutionProvider"]
        self._source = path_or_bytes
        self._traces: List[Any] = []
        self._begin_ns = time.perf_counter_ns()
        super().__init__(path_or_bytes, provider=",".join(_PROVIDERS[name] for name in self._providers), **options)

    def run(self, output_names: Optional[Sequence[str]], input_feed: Dict[str, Any],  # type: ignore[override]
            run_options: Optional[RunOptions] = None) -> List[Any]:
        """Runs the model as Session.run() does, but returns copies, which may be written to, as onnxruntime's."""
        if run_options is None and not self._options.enable_profiling:
            return [_writable(output) for output in self._run(output_names or None, input_feed, None, 0, 0, None, None, None)]
        return self.run_into(output_names, input_feed, run_options, None)

    def run_into(self, output_names: Optional[Sequence[str]], input_feed: Dict[str, Any], run_options: Optional[RunOptions],
                 targets: Optional[List[Any]]) -> List[Any]:
        """run() with an array or None for each output, to which it is written."""
        stop = None if run_options is None else run_options.stop()
        profile = Profile() if self._options.enable_profiling else None
        try:
            outputs = [_writable(output) for output in self._run(output_names or None, input_feed, stop, 0, 0, profile, targets,
                                                                             None)]
        except KeyboardInterrupt:
            if run_options is not None:
                run_options.renew()
            raise
        if profile is not None:
            self._add_trace(profile)
        return outputs

    def run_with_ort_values(self, output_names: Optional[Sequence[str]], input_dict_ort_values: Dict[str, OrtValue],
                            run_options: Optional[RunOptions] = None) -> List[OrtValue]:
        """Runs the model with OrtValues."""
        return [OrtValue(output) for output in self.run(output_names, input_dict_ort_values, run_options)]

    def run_async(self, output_names: Optional[Sequence[str]], input_feed: Dict[str, Any], callback: Callable[..., Any], user_data: Any,
                  run_options: Optional[RunOptions] = None) -> None:
        """Runs the model in another thread, which then calls callback(results, user_data, error text)."""
        def work() -> None:
            try:
                outcome = (self.run(output_names, input_feed, run_options), user_data, "")
            except Exception as error:
                outcome = ([], user_data, str(error))
            callback(*outcome)
        threading.Thread(target=work, daemon=True).start()

    def io_binding(self) -> IOBinding:
        """An empty binding of inputs and outputs."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: Optional[RunOptions] = None) -> None:
        """Runs the model with bound inputs and outputs."""
        iobinding.run(run_options)

    def get_inputs(self) -> List[NodeArg]:
        """The inputs without a default value."""
        return [_node_arg(info) for info in self.inputs]

    def get_outputs(self) -> List[NodeArg]:
        """The outputs."""
        return [_node_arg(info) for info in self.outputs]

    def get_providers(self) -> List[str]:
        """The providers of the session, by onnxruntime's names."""
        return list(self._providers)

    def get_provider_options(self) -> Dict[str, Dict[str, str]]:
        """Empty options of each provider."""
        return {name: {} for name in self._providers}

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def get_modelmeta(self) -> ModelMetadata:
        """What the model file says of itself."""
        return _read_metadata(self._source)

    def enable_fallback(self) -> None:
        """Does nothing: nodes that a provider does not take always fall back to the cpu provider."""

    def disable_fallback(self) -> None:
        """Does nothing: see enable_fallback(); the option strict_provider=True refuses what falls back."""

    def get_profiling_start_time_ns(self) -> int:
        """When the session was made, by time.perf_counter_ns()."""
        return self._begin_ns

    def end_profiling(self) -> str:
        """Writes the Chrome trace of all runs so far, and returns the name of its file."""
        path = f"{self._options.profile_file_prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._traces, file)
        self._traces = []
        return path

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_CARRIED:
            raise AttributeError(f"InferenceSession.{name} has no counterpart in ortool: {_NOT_CARRIED[name]}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _add_trace(self, profile: Profile) -> None:
        events = profile.trace()
        end = max((event["ts"] + event["dur"] for event in self._traces), default=None)
        if end is not None:
            events = [event for event in events if event["name"] not in ("model_loading_uri", "session_initialization")]
            shift = end - min(event["ts"] for event in events)
            events = [{**event, "ts": event["ts"] + shift} for event in events]
        self._traces += events


_NOT_CARRIED = {
    "set_providers": "make another session",
    "get_overridable_initializers": "ortool.inspect(model) lists inputs with defaults",
    "run_with_ortvaluevector": "use run_with_ort_values()",
    "get_tuning_results": "nothing is tuned",
    "set_tuning_results": "nothing is tuned",
}


def _writable(output: Any) -> Any:
    if isinstance(output, numpy.ndarray):
        return output if output.flags.writeable else numpy.array(output)
    return [_writable(element) for element in output] if isinstance(output, list) else output


def _type_text(text: str) -> str:
    """onnxruntime's name of a type: "sequence(float32[?])" is "seq(tensor(float))"."""
    text = re.sub(r"(\w+)\[[^\]]*\]", lambda match: f"tensor({_OWN_TYPES.get(match.group(1), match.group(1))})", text)
    text = re.sub(r"\bmap\((\w+), ", lambda match: f"map({_OWN_TYPES.get(match.group(1), match.group(1))},", text)
    return text.replace("sequence(", "seq(")


def _node_arg(info: ValueInfo) -> NodeArg:
    kind = f"tensor({TYPE_NAMES.get(info.element_type, 'undefined')})" if info.kind == "tensor" and not info.is_optional \
        else _type_text(info.type_text)
    shape: List[Union[int, str, None]] = [None if size == "?" else size for size in info.shape or ()]
    return NodeArg(info.name, shape, kind)


def _read_metadata(source: ModelSource) -> ModelMetadata:
    descriptor = -1
    if isinstance(source, (bytes, bytearray, memoryview)):
        descriptor = os.memfd_create("model")
        with open(descriptor, "wb", closefd=False) as file:
            file.write(source)
        source = f"/proc/self/fd/{descriptor}"
    try:
        request = {"arguments": [os.fspath(source)]}
        report = json.loads(_native.command("inspect", json.dumps(request), None, 0, None, None, None))
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    model, graph = report["model"], report["graph"]
    return ModelMetadata(model["producer"], graph["name"], model["domain"], model["doc_string"], model["metadata"])
