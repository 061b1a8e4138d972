"""A campaign on a Dask cluster: python dask_sweep.py PLAN.toml FOLDER [WORKERS].

LocalCluster starts the workers as processes of this machine. On a queue put the cluster of
dask_jobqueue in its place, as in SLURMCluster(cores=1, memory="2GB", walltime="01:00:00"), and call
its scale(jobs=WORKERS). Workers need the same theorylab, and the plan's files at the same paths.
"""

import sys

from distributed import LocalCluster

from theorylab import sweep


def main(plan: str, folder: str, workers: str = "2") -> None:
    with LocalCluster(
        n_workers=int(workers), threads_per_worker=1, dashboard_address=None
    ) as cluster:
        rows = sweep(plan, out=folder, backend="dask", scheduler=cluster.scheduler_address)
    print(f"{len(rows)} rows are in {folder}; theorylab sweep show {folder} shows them")


if __name__ == "__main__":  # workers import this file
    main(*sys.argv[1:])
