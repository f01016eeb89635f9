"""Options of sessions and runs under onnxruntime's names."""
from __future__ import annotations

import enum
import warnings
from typing import Any, Dict, List, Optional

from . import _native


class GraphOptimizationLevel(enum.IntEnum):
    """Levels of onnxruntime, mapped to those of --optimize."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Whether independent nodes run at the same time."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


# Attributes that change no result here: memory is planned, runs are deterministic, and nothing is logged.
_WITHOUT_EFFECT = {"enable_cpu_mem_arena": True, "enable_mem_pattern": True, "enable_mem_reuse": True, "log_severity_level": 2,
                   "log_verbosity_level": 0, "logid": "", "use_deterministic_compute": False, "use_per_session_threads": True,
                   "execution_order": 0}
_REMEDIES = {
    "optimized_model_filepath": "use ortool.optimize(model, output)",
    "add_initializer": "replace the initializers of the file",
    "add_external_initializers": "give `folder` for weights beside a model in memory",
    "add_external_initializers_from_files_in_memory": "give `folder` for weights beside a model in memory",
    "register_custom_ops_library": "use ortool.register_operators(library) with a library of ortool's interface, or ortool.operator",
    "training_mode": "ortool runs models for inference",
    "add_active_adapter": "merge the adapter into the model",
}


class _Attributes:
    """Refuses attributes that it does not have, instead of ignoring them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._known():
            raise _unknown(type(self).__name__, name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise _unknown(type(self).__name__, name)

    def _known(self) -> List[str]:
        raise NotImplementedError


class SessionOptions(_Attributes):
    """onnxruntime's options of sessions: those that have a counterpart, and those that change nothing here.

    Options without one raise an AttributeError that says what to use.
    """

    def __init__(self) -> None:
        values = {"intra_op_num_threads": 0, "inter_op_num_threads": 0, "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
                  "execution_mode": ExecutionMode.ORT_SEQUENTIAL, "enable_profiling": False, "profile_file_prefix": "onnxruntime_profile_",
                  "_dimensions": {}, "_entries": {}, **_WITHOUT_EFFECT}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _known(self) -> List[str]:
        return list(vars(self))

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fixes a free dimension: --dim."""
        self._dimensions[name] = size

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps the entry, which has no effect here, and warns of that."""
        warnings.warn(f"the session configuration entry {key} has no effect in ortool", stacklevel=2)
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """An entry that was added."""
        return str(self._entries[key])

    def own(self) -> Dict[str, Any]:
        """The options of ortool.Session."""
        level = GraphOptimizationLevel(self.graph_optimization_level)
        threads = max(self.intra_op_num_threads, self.inter_op_num_threads if self.execution_mode == ExecutionMode.ORT_PARALLEL else 0)
        return {"threads": threads or None, "optimize": {0: "none", 1: "basic", 2: "extended"}.get(int(level)),
                "execution": "parallel" if self.execution_mode == ExecutionMode.ORT_PARALLEL else None,
                "dim": [f"{name}={size}" for name, size in self._dimensions.items()] or None}


class RunOptions(_Attributes):
    """onnxruntime's options of runs."""

    _stop: Optional[_native.Stop]

    def __init__(self) -> None:
        values = {"log_severity_level": 2, "log_verbosity_level": 0, "logid": "", "only_execute_path_to_fetches": False, "_entries": {},
                  "_stop": _native.Stop()}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _known(self) -> List[str]:
        return [*vars(self), "terminate"]

    @property
    def terminate(self) -> bool:
        """True ends runs that got this object, and those that begin with it; False lets them run again."""
        return self._stop is None

    @terminate.setter
    def terminate(self, value: bool) -> None:
        stop = self._stop
        if value and stop is not None:
            self._stop = None
            stop.request()
        elif not value and stop is None:
            self._stop = _native.Stop()

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps the entry, which has no effect here, and warns of that."""
        warnings.warn(f"the run configuration entry {key} has no effect in ortool", stacklevel=2)
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """An entry that was added."""
        return str(self._entries[key])

    def renew(self) -> None:
        """Makes the options usable again after Ctrl-C, which requested their stop."""
        if self._stop is not None:
            self._stop = _native.Stop()

    def stop(self) -> _native.Stop:
        """The stop of a run with these options."""
        if self._stop is not None:
            return self._stop
        stop = _native.Stop()
        stop.request()
        return stop


def _unknown(kind: str, name: str) -> AttributeError:
    remedy = _REMEDIES.get(name)
    return AttributeError(f"{kind}.{name} has no counterpart in ortool" + (f": {remedy}" if remedy else ""))
