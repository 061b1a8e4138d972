"""SGP of four processes by torch.distributed; arguments: rank, folder, rounds."""

import json
import pathlib
import sys

import torch
import torch.distributed as dist

from theorylab.records import Recorder

rank, folder, rounds = int(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=4)
data = json.loads((folder / "data.json").read_text())
H, c = (torch.tensor(data[key][rank], dtype=torch.float64) for key in ("H", "c"))


def loss(x):
    return (x - c) @ H @ (x - c) / 2


record = Recorder(str(folder / "run.npz"), loss, eta=0.1, deterministic=1)
x, w = torch.ones(len(c), dtype=torch.float64), torch.ones(1, dtype=torch.float64)
for t in range(rounds):
    away = 1 + t % 2
    column = torch.zeros(4, dtype=torch.float64)
    column[[rank, (rank + away) % 4]] = torch.tensor([0.75, 0.25], dtype=torch.float64)
    if rank == 0:  # it sends more than the others: weights differ
        column[[0, away]] = 0.5
    z = x / w
    record(z, column, float(w))
    (slope,) = torch.autograd.grad(loss(z.requires_grad_()), z)
    mass = torch.cat([x - 0.1 * slope, w])
    heard = torch.empty_like(mass)
    sending = dist.isend(mass * column[(rank + away) % 4], (rank + away) % 4)
    dist.recv(heard, (rank - away) % 4)
    sending.wait()
    mass = mass * column[rank] + heard
    x, w = mass[:-1], mass[-1:]
record(x / w, column, float(w))
record.write()
dist.destroy_process_group()
