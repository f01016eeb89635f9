# Times of calibrating and evaluating a model in 8 shards by one and by two workers of Dask, in turns.
"""usage: shard_times.py MODEL DATA [--rounds N], with dask, distributed and ortool in PYTHONPATH (see tests/shard/run_dask.sh)"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

import distributed

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shard"))
import dask_digits  # noqa: E402

_SHARDS = 8


def processor_seconds():
    times = os.times()
    return times.user + times.system


def measure(function, model, data, workers):
    """Wall time, and processor time of the workers, without starting them."""
    with tempfile.TemporaryDirectory() as folder:
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                client.run(__import__, "ortool")
                before = sum(client.run(processor_seconds).values())
                begin = time.perf_counter()
                client.gather([client.submit(function, model, data, pathlib.Path(folder), name, pure=False)
                               for name in dask_digits.ortool.shard_names(_SHARDS)])
                wall = time.perf_counter() - begin
                return wall, sum(client.run(processor_seconds).values()) - before


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for function in dask_digits.calibrate, dask_digits.evaluate:
        times = {1: [], 2: []}
        for _ in range(arguments.rounds):
            for workers, list_ in times.items():
                list_.append(measure(function, arguments.model, arguments.data, workers))
        for workers, list_ in times.items():
            print(f"{function.__name__}, {workers} worker{'s' if workers > 1 else ''}: "
                  f"least wall {min(each[0] for each in list_):.2f} s, least processor {min(each[1] for each in list_):.2f} s")
        ratios = sorted(one[0] / two[0] for one, two in zip(times[1], times[2]))
        print(f"{function.__name__}: one worker takes {ratios[len(ratios) // 2]:.2f} times two (median of {len(ratios)} rounds)")


if __name__ == "__main__":
    main()
