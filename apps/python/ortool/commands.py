"""Commands of the ortool program, with their JSON reports as dicts."""
from __future__ import annotations

import collections.abc
import json
import os
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Union

from . import _native, _values
from .session import options_text

Path = Union[str, "os.PathLike[str]"]
OnMessage = Optional[Callable[[str, str], Any]]
OnProgress = Optional[Callable[[str, int, int], Any]]


def command(name: str, *arguments: Path, stop: Optional[_native.Stop] = None, timeout: float = 0, on_message: OnMessage = None,
            on_progress: OnProgress = None, samples_from: Optional[Iterable[Dict[str, Any]]] = None, **options: Any) -> Any:
    """Runs a command of the program: "inspect", "optimize", "quantize", "bench", "merge", "run", "providers" or "schema".

    Args:
        arguments: those of the command line, such as the model's path.
        stop: a Stop, which ends the call from another thread.
        timeout: seconds, after which the call fails with Status.TIMEOUT; 0: no limit.
        on_message: called with ("warning" or "note", text).
        on_progress: called with (step, done, total); a total of 0: unknown. Often, and by any thread.
        samples_from: for "quantize", the calibration data: samples, each a dict of arrays by input name. They are copied as
            they come: into memory up to 64 MB, then into a file in the folder for temporary files, which has no name.
        options: those of the command line with underscores; True for a flag, a list for an option that repeats.

    Returns:
        The report as a dict, whose "exit_code" tells results such as "the outputs differ"; a str for another `format`.

    Raises:
        Error: the command failed.
        KeyboardInterrupt: Ctrl-C, in the main thread.
        Exception: what a callback or `samples_from` raised.
    """
    samples = None if samples_from is None else (_values.to_sample(sample) for sample in samples_from)
    request = json.loads(options_text(options))
    request["arguments"] = [os.fspath(argument) for argument in arguments]
    text = _native.command(name, json.dumps(request), stop, timeout, on_message, on_progress, samples)
    return json.loads(text) if options.get("format", "json") == "json" else text


def inspect(model: Path, **options: Any) -> Any:
    """What a model contains: `ortool inspect`. Takes the options of command()."""
    return command("inspect", model, **options)


def optimize(model: Path, output: Path, **options: Any) -> Any:
    """Writes an optimized model to `output`: `ortool optimize`. Takes the options of command()."""
    return command("optimize", model, output=output, **options)


def bench(*models: Path, **options: Any) -> Any:
    """Measures models: `ortool bench`. Takes the options of command()."""
    return command("bench", *models, **options)


def quantize(model: Path, output: Path, calibration_data: Union[None, Path, Sequence[Path], Iterable[Dict[str, Any]]] = None,
             **options: Any) -> Any:
    """Writes an int8 model to `output`: `ortool quantize`. Takes the options of command().

    Args:
        calibration_data: the path of a data set, a list of paths, or an iterable of samples, each a dict of arrays by input
            name: see command(). At most as many are taken as the option `samples` says.
    """
    if not isinstance(calibration_data, collections.abc.Iterable) or isinstance(calibration_data, (str, os.PathLike)):
        return command("quantize", model, output=output, calibration_data=calibration_data, **options)
    if isinstance(calibration_data, (list, tuple)) and all(isinstance(path, (str, os.PathLike)) for path in calibration_data):
        return command("quantize", model, output=output, calibration_data=calibration_data, **options)
    return command("quantize", model, output=output, samples_from=calibration_data, **options)  # type: ignore[arg-type]
