# Example of the manual: calibrates and evaluates a model in shards, on the workers of a Dask cluster.
import pathlib
import sys

import distributed
import ortool


def calibrate(model, data, folder, shard):
    """Runs on a worker; goes on where a worker that was killed had come to."""
    part = folder / f"calibration-{shard.replace('/', '-of-')}.part"
    ortool.calibrate(model, part, data, shard=shard, threads=1)
    return part


def evaluate(model, data, folder, shard):
    """Runs on a worker."""
    part = folder / f"evaluation-{shard.replace('/', '-of-')}.part"
    ortool.evaluate(model, data, part, shard=shard, metric="top1", threads=1)
    return part


def run_on(client, model, data, folder, count):
    """Writes model.calibration and report.json; the folder is one that all workers see."""
    shards = ortool.shard_names(count)
    for function, output in (calibrate, "model.calibration"), (evaluate, "report.json"):
        futures = [client.submit(function, model, data, folder, shard, pure=False) for shard in shards]
        ortool.merge(client.gather(futures), folder / output)


if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as dask_client:
            run_on(dask_client, sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), 8)
