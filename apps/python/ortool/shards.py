"""Shards: parts of a calibration or an evaluation that many processes share, and their merge."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence

from .commands import Path, command


def shard_names(count: int) -> List[str]:
    """The shards that `count` processes have: "1/count" to "count/count"."""
    return [f"{number}/{count}" for number in range(1, count + 1)]


def calibrate(model: Path, cache: Path, calibration_data: "Path | Sequence[Path]", shard: Optional[str] = None,
              **options: Any) -> Any:
    """Records statistics of a model's values in the file `cache`: `ortool quantize --calibrate-only`.

    A file that is there already is gone on with, so a call that was stopped can be repeated. Takes the options of command().

    Args:
        shard: one of shard_names(): the file is then a part, for merge().
    """
    return command("quantize", model, calibrate_only=True, calibration_cache=cache, calibration_data=calibration_data, shard=shard,
                   **options)


def evaluate(model: Path, data: Path, part: Optional[Path] = None, shard: Optional[str] = None, **options: Any) -> Any:
    """Runs a model over a data set and evaluates a metric: `ortool run --data`. Takes the options of command().

    Args:
        shard: one of shard_names(); what it found is written to the file `part`, for merge().
    """
    return command("run", model, data=data, part_out=part, shard=shard, **options)


def merge(parts: Sequence[Path], output: Optional[Path] = None, **options: Any) -> Any:
    """Joins the parts of all shards: `ortool merge`. Takes the options of command().

    Args:
        output: the calibration that one process would have written, or the JSON report of the evaluation, which the returned
            dict holds as "result", too.
    """
    return command("merge", *parts, output=output, **options)
