"""Rounds of DFedSGPSM as others write them: torch, eager and compiled, and a scan of JAX."""

from __future__ import annotations

import importlib
import math
import os
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from theorylab.bench._gpu_rounds import CYCLE, Setting

Run = Callable[[int], Any]  # so many rounds from 0; returns x (n, d) and w (n, 1)
Maker = Callable[[], tuple[Run, int]]  # a run, and of what its rounds are a multiple
Steps = Callable[[Any, Any, Any], Any]  # (centers, x, w) -> x
LAUNCHED = 10_000_000  # numbers of all models above which launches cost nothing beside kernels
SPARSE = 200  # clients from whom on the exchange is tried with a sparse matrix, too


def makers(given: Setting, device: str, compiling: bool) -> dict[str, Maker]:
    """Every peer by name. Their float32 products are no TF32; noise is each library's own.

    compiling: with those that take seconds to compile.
    """
    n = len(given.centers)
    made: dict[str, Maker] = {"torch eager": partial(torch_run, given, device)}
    if n >= SPARSE:
        made["torch eager, sparse"] = partial(torch_run, given, device, sparse=True)
    small = given.centers.size <= LAUNCHED
    if device != "cpu" and small:
        made["torch eager, graph"] = partial(torch_graph, given, device)
    if device != "cpu" and compiling:
        once = cache(partial(torch_compiled, given))  # for both
        made["torch.compile"] = lambda: torch_run(given, device, once())
        if small:
            made["torch.compile, graph"] = lambda: torch_graph(given, device, once())
    if compiling:
        made["jax scan"] = partial(jax_run, given, device)
    return made


def torch_steps(torch: Any, given: Setting, c: Any, x: Any, w: Any) -> Any:
    """x after its local steps; one draw of noise serves both gradients of a step."""
    v, scale = torch.zeros_like(x), given.sigma / math.sqrt(x.shape[1])
    x = x.clone()
    for _ in range(given.steps):
        z = x / w
        g = torch.tanh(z - c)
        noise = torch.randn_like(x).mul_(scale) if scale else None
        if noise is not None:
            g = g.add_(noise)
        if given.rho:
            size = torch.linalg.vector_norm(g, dim=1, keepdim=True)
            z = z + g * (given.rho / size.clamp_min(1e-30))
            g = torch.tanh(z - c)
            if noise is not None:
                g = g.add_(noise)
        v = v.mul_(given.alpha).add_(g)
        x = x.sub_(v, alpha=given.eta)
    return x


def torch_compiled(given: Setting) -> Steps:
    """``torch_steps`` as one graph of torch.compile, for arrays of one size."""
    torch: Any = importlib.import_module("torch")
    torch.compiler.reset()  # what was compiled for other sizes counts against a limit
    made: Steps = torch.compile(_steps(torch, given), dynamic=False, fullgraph=True)
    return made


def _steps(torch: Any, given: Setting) -> Steps:
    return lambda c, x, w: torch_steps(torch, given, c, x, w)


def _torch(given: Setting, device: str, steps: Steps | None, sparse: bool) -> tuple[Any, ...]:
    torch: Any = importlib.import_module("torch")
    c = torch.from_numpy(np.asarray(given.centers)).to(device)
    matrices = [torch.from_numpy(P).to(device) for P in given.matrices]
    if sparse:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch calls its sparse CSR a beta
            matrices = [P.to_sparse_csr() for P in matrices]
    own = steps or _steps(torch, given)

    def one(P: Any, x: Any, w: Any) -> tuple[Any, Any]:
        return P @ own(c, x, w), P @ w

    start = torch.zeros_like(c), torch.ones((len(c), 1), device=device, dtype=c.dtype)
    return torch, matrices, one, start


def torch_run(
    given: Setting, device: str, steps: Steps | None = None, *, sparse: bool = False
) -> tuple[Run, int]:
    """Rounds one after another, launched by Python. steps: None for eager ones."""
    torch, matrices, one, start = _torch(given, device, steps, sparse)

    def run(rounds: int) -> Any:
        x, w = start
        with torch.no_grad():
            for t in range(rounds):
                x, w = one(matrices[t % CYCLE], x, w)
        return x, w

    return run, 1


def torch_graph(given: Setting, device: str, steps: Steps | None = None) -> tuple[Run, int]:
    """CYCLE rounds in one CUDA graph."""
    torch, matrices, one, start = _torch(given, device, steps, False)
    state = [each.clone() for each in start]

    def cycle() -> None:
        x, w = state
        for P in matrices:
            x, w = one(P, x, w)
        state[0].copy_(x)
        state[1].copy_(w)

    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            cycle()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            cycle()

    def run(rounds: int) -> Any:
        for each, first in zip(state, start, strict=True):
            each.copy_(first)
        for _ in range(rounds // CYCLE):
            graph.replay()
        return tuple(state)

    return run, CYCLE


def jax_run(given: Setting, device: str) -> tuple[Run, int]:
    """A jitted scan over CYCLE rounds.

    Raises:
        LookupError: JAX sees no GPU.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # torch has its share, too
    jax: Any = importlib.import_module("jax")
    if device != "cpu" and jax.default_backend() != "gpu":
        raise LookupError(f"JAX sees no GPU, but {jax.default_backend()}")
    jnp, c = jax.numpy, jax.numpy.asarray(given.centers)
    matrices = jnp.asarray(given.matrices)
    scale = given.sigma / math.sqrt(c.shape[1])

    def one(state: Any, P: Any) -> tuple[Any, None]:
        x, w, key = state
        v = jnp.zeros_like(x)
        for _ in range(given.steps):
            key, own = jax.random.split(key)
            noise = scale * jax.random.normal(own, x.shape, x.dtype) if scale else 0.0
            z = x / w
            g = jnp.tanh(z - c) + noise
            if given.rho:
                size = jnp.sqrt((g * g).sum(axis=1, keepdims=True))
                g = jnp.tanh(z + g * (given.rho / jnp.maximum(size, 1e-30)) - c) + noise
            v = given.alpha * v + g
            x = x - given.eta * v
        with jax.default_matmul_precision("highest"):
            return (P @ x, P @ w, key), None

    def scan(state: Any, matrices: Any) -> Any:
        return jax.lax.scan(one, state, matrices)[0]

    cycle = jax.jit(scan, donate_argnums=0)

    def run(rounds: int) -> Any:
        x, w = jnp.zeros_like(c), jnp.ones((len(c), 1), c.dtype)
        state = x, w, jax.random.key(1, impl="rbg")
        for _ in range(rounds // CYCLE):
            state = cycle(state, matrices)
        state[0].block_until_ready()
        return state[:2]

    return run, CYCLE
