"""Sessions: models compiled for this machine."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native

_KINDS = {0: "", 1: "tensor", 2: "sequence", 3: "map"}
ModelSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]


class ValueInfo(NamedTuple):
    """The name and type of an input or output."""

    name: str
    type_text: str  #: "float32[batch x 3]", "sequence(int64[?])"
    kind: str  #: "tensor", "sequence", "map", or "" if the type is not known
    element_type: int  #: of a tensor's elements or a map's keys: ONNX's number
    is_optional: bool
    shape: Optional[Tuple[Union[int, str], ...]]  #: numbers, names of free dimensions, or "?"; None: the rank is not known


def options_text(options: Dict[str, Any]) -> str:
    """Options as the JSON of a request: max_memory="2GB" is --max-memory 2GB, None is left out."""
    def plain(option: Any) -> Any:
        if isinstance(option, os.PathLike):
            return os.fspath(option)
        return [plain(each) for each in option] if isinstance(option, (list, tuple)) else option
    return json.dumps({name.rstrip("_").replace("_", "-"): plain(option) for name, option in options.items() if option is not None})


class ProfileEvent(NamedTuple):
    """One kernel of a run."""

    node: str  #: the first of the nodes that the kernel computes
    op_type: str
    provider: str
    kernel: str
    depth: int  #: 0 in the main graph, 1 in a body of If or Loop, and so on
    start_ns: int  #: since the run began
    duration_ns: int


class Profile(_native.Profile):
    """The times of the last run that got it, kernel by kernel."""

    @property
    def events(self) -> List[ProfileEvent]:
        """The kernels in the order in which they ran."""
        return [ProfileEvent(*row) for row in self._events()]

    def rows(self) -> List[Dict[str, Any]]:
        """The time of each node in milliseconds and its share of all kernels' time, the longest first."""
        sums: Dict[Tuple[int, str], Dict[str, Any]] = {}
        for event in self.events:
            row = sums.setdefault((event.depth, event.node), {"node": event.node, "op_type": event.op_type, "provider": event.provider,
                                                              "kernel": event.kernel, "depth": event.depth, "calls": 0, "ms": 0.0})
            row["calls"] += 1
            row["ms"] += event.duration_ns / 1e6
        total = sum(row["ms"] for row in sums.values() if row["depth"] == 0)
        return sorted(({**row, "share": row["ms"] / total if total > 0 else 0.0} for row in sums.values()), key=lambda row: -row["ms"])

    def trace(self) -> List[Dict[str, Any]]:
        """The events as the Chrome trace that `ortool run --trace` writes."""
        return json.loads(self._trace())  # type: ignore[no-any-return]


class Session(_native.Session):
    """A model compiled for this machine. Any number of threads may run it at once.

    Args:
        model: the path of an .onnx file, or the model's bytes, which are not copied.
        folder: where the external weights of a model in memory are.
        stop: a Stop, which ends the call from another thread.
        timeout: seconds, after which the call fails with Status.TIMEOUT; 0: no limit.
        on_message: called with ("warning" or "note", text).
        on_progress: called with (step, done, total).
        options: options of `ortool run` with underscores: threads, execution, optimize, skip_pass, precision, provider,
            provider_option, node_provider, strict_provider, dim, shape, nchwc_block, max_memory, custom_ops, define_op.

    Raises:
        Error: the file is missing or broken, an option is wrong, or an operator is not supported.
        KeyboardInterrupt: Ctrl-C, in the main thread.
    """

    def __init__(self, model: ModelSource, *, folder: Optional[str] = None, stop: Optional[_native.Stop] = None, timeout: float = 0,
                 on_message: Optional[Callable[[str, str], Any]] = None,
                 on_progress: Optional[Callable[[str, int, int], Any]] = None, **options: Any) -> None:
        is_path = not isinstance(model, (bytes, bytearray, memoryview))
        source = os.fsencode(model) if is_path else bytes(model)  # type: ignore[arg-type]
        self._open(source, is_path, folder, options_text(options), stop, timeout, on_message, on_progress)
        self.inputs: List[ValueInfo] = [_info(row) for row in self._inputs()]
        self.outputs: List[ValueInfo] = [_info(row) for row in self._outputs()]

    def run(self, output_names: Optional[Sequence[str]], feeds: Dict[str, Any], *, stop: Optional[_native.Stop] = None,
            timeout: float = 0, threads: int = 0, profile: Optional[Profile] = None, out: Optional[Dict[str, Any]] = None,
            feedback: Optional[Feedback] = None) -> List[Any]:
        """Runs the model, without the GIL.

        Args:
            output_names: the outputs to return, in this order; None: all.
            feeds: the inputs by name. Contiguous numpy arrays and DLPack tensors are read where they are and must not change
                during the call; other arrays, lists and numbers are converted. Lists are sequences and dicts maps where the
                model takes those. An optional input may be None.
            stop: a Stop, which ends the run from another thread.
            timeout: seconds, after which the run fails with Status.TIMEOUT; 0: no limit.
            threads: at most the session's; 0: the session's.
            profile: a Profile, which gets the times of the run.
            feedback: a Feedback of this session, which gives the inputs that it feeds or holds, and keeps the outputs that it
                reads. One that stays on a device comes as None.
            out: contiguous arrays by name, to which these outputs are written: without a copy if they are aligned to 64 bytes.

        Returns:
            The outputs: numpy arrays over the engine's memory, read-only and not copied, which stay valid as long as they are
            used (copies of outputs that are an input's memory, as of Identity); arrays of str objects; lists for sequences,
            dicts for maps, None for an empty optional. Element types that neither numpy nor ml_dtypes has come as Value.

        Raises:
            Error: a name that the model does not have, a missing input, or a type or shape that does not fit. Its cause is the
                exception of a function that computes an operator, if one raised it.
            KeyboardInterrupt: Ctrl-C, in the main thread.
        """
        targets = None if out is None else self._targets(output_names, out)
        return self._run(output_names, feeds, stop, timeout, threads, profile, targets, feedback)

    def _targets(self, output_names: Optional[Sequence[str]], out: Dict[str, Any]) -> List[Any]:
        names = [info.name for info in self.outputs] if output_names is None else list(output_names)
        for name, array in out.items():
            if name not in names:
                raise ValueError(f"{name!r} is none of the outputs of the run: {', '.join(names)}")
            if not array.flags.writeable:
                raise ValueError(f"the array for output {name!r} is read-only")
        return [out.get(name) for name in names]


class Feedback(_native.Feedback):
    """Outputs that are inputs of the next run, such as a decoder's caches: they are handed on without a copy, and on a GPU they
    stay there where cuda computes all nodes that read or write them. For one thread at a time.

        feedback = ortool.Feedback(session, {"present.0.key": "past.0.key", "present.0.value": "past.0.value"})
        for _ in range(steps):
            scores, = session.run(["logits"], feeds, feedback=feedback)

    Args:
        session: the session that runs.
        pairs: the inputs by the names of the outputs that they become. The first run needs a value for each.
        held: inputs that are the same in each run, such as an encoder's states or its mask. The first run is given them, and
            keeps copies; on a GPU they are copied there once.
        held_outputs: inputs by the names of outputs of the first run at whose values they stay, such as the caches of
            cross-attention, which decoders with `use_cache_branch` compute in their first run alone. Runs before an output has
            elements need a value for its input.

    Raises:
        Error: the model has no such output or input, or an input is fed or held twice.
    """

    def __init__(self, session: Session, pairs: Dict[str, str], *, held: Iterable[str] = (),
                 held_outputs: Optional[Dict[str, str]] = None) -> None:
        if isinstance(held, str):
            raise TypeError("held is a list of names of inputs")
        made = held_outputs or {}
        self._open(session, list(pairs), list(pairs.values()), list(held), list(made), list(made.values()))

    def fetch(self, output: str) -> Any:
        """The value of a fed output after the last run, or of one that is held, as run() returns it."""
        return self._fetch(output)

    def set(self, input: str, value: Any) -> None:  # pylint: disable=redefined-builtin
        """Replaces the value that a fed or held input has from the next run on, by a copy."""
        self._set(input, value)


def _info(row: Tuple[str, str, int, int, bool, Any]) -> ValueInfo:
    name, type_text, kind, element_type, is_optional, shape = row
    return ValueInfo(name, type_text, _KINDS[kind], element_type, is_optional, shape)


