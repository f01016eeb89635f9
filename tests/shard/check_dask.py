# The Dask example of the manual on two local workers, one of which is killed: the results are those of one process.
"""usage: check_dask.py MODEL DATA FOLDER, with dask, distributed and ortool in PYTHONPATH"""
import filecmp
import json
import os
import pathlib
import signal
import sys
import threading
import time

import distributed
import ortool

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dask_digits  # noqa: E402


def kill_a_worker(folder, worker_ids, killed):
    """Kills one worker as soon as the first part is there, while others are being made."""
    while not list(folder.glob("calibration-*.part")):
        time.sleep(0.002)
    os.kill(worker_ids[0], signal.SIGKILL)
    killed.append(worker_ids[0])


def main():
    model, data, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir()
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            worker_ids = list(client.run(os.getpid).values())
            killed = []
            killer = threading.Thread(target=kill_a_worker, args=(folder, worker_ids, killed))
            killer.start()
            dask_digits.run_on(client, model, data, folder, 8)
            killer.join()
    assert killed, "no worker was killed"
    ortool.calibrate(model, folder / "one.calibration", data, threads=1)
    whole = ortool.evaluate(model, data, metric="top1", threads=1)
    assert filecmp.cmp(folder / "one.calibration", folder / "model.calibration", shallow=False)
    merged = json.loads((folder / "report.json").read_text())
    assert merged["dataset"] == whole["dataset"], (merged["dataset"], whole["dataset"])
    print(f"dask: top1 {merged['dataset']['value']} of {merged['dataset']['samples']} samples in 8 shards on two workers, "
          f"one of which was killed: as in one process")


if __name__ == "__main__":
    main()
