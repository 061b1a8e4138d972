"""What this installation has and what it lacks, and why: the facts behind ``theorylab doctor``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import platform
import re
import sqlite3
from typing import Any

import theorylab

_REQUIREMENT = re.compile(r"^[A-Za-z0-9._-]+")


def examined() -> dict[str, Any]:
    """Python, packages, kernels, GPU and data; never raises, whatever is missing or broken.

    What is missing is ``None`` or ``False``, with a line under ``why``.
    """
    return {
        "theorylab": theorylab.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "sqlite": sqlite3.sqlite_version,
        "packages": _packages(),
        "kernels": _kernels(),
        "cuda": _cuda(),
        "data": _data(),
    }


def _packages() -> dict[str, str | None]:
    """Installed version of every package that theorylab or one of its extras asks for."""
    try:
        required = importlib.metadata.requires("theorylab") or []
    except importlib.metadata.PackageNotFoundError:
        required = []
    names = [found[0] for item in required if (found := _REQUIREMENT.match(item))]
    return {name: _version(name) for name in dict.fromkeys(names)}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _kernels() -> dict[str, Any]:
    facts: dict[str, Any] = {"built": False, "isa": None, "usable": [], "threads": None}
    try:
        core = importlib.import_module("theorylab._core")
        usable = core.usable_isas()
        facts |= {
            "built": True,
            "isa": core.isa(),
            "usable": usable.replace(",", " ").split() if isinstance(usable, str) else list(usable),
            "threads": core.get_threads(),
        }
    except Exception as error:  # a broken build may fail in any way; say which
        facts["why"] = f"theorylab._core: {_why(error)}; need pip install . with a C++ compiler"
    return facts


def _cuda() -> dict[str, Any]:
    """The ways to a GPU's kernels, which one a call would take, and the GPUs."""
    why: list[str] = []
    facts: dict[str, Any] = {"why": why, **_ahead(why), **_at_run_time(why)}
    try:
        emulated = importlib.import_module("theorylab._emulated")
        facts["emulated"] = len(emulated.schedules())
    except Exception as error:
        facts["emulated"] = None
        need = "python setup.py build_emulated in a clone of theorylab, on Linux"
        why.append(f"theorylab._emulated: {_why(error)}; for tests; need {need}")
    try:
        facts["path"] = importlib.import_module("theorylab.kernels._paths").chosen_path().name
    except Exception as error:
        facts["path"] = None
        why.append(f"path: {_why(error)}")
    facts["devices"] = _devices(why)
    return facts


def _ahead(why: list[str]) -> dict[str, Any]:
    """``theorylab._cuda``: whether it was built, for which chips, with how many schedules."""
    facts: dict[str, Any] = {"built": False, "architectures": [], "schedules": 0}
    if importlib.util.find_spec("theorylab._cuda") is None:
        why.append("theorylab._cuda: not built; need nvcc and THEORYLAB_CUDA=1")
        return facts
    try:
        cuda = importlib.import_module("theorylab._cuda")
        facts |= {
            "built": True,
            "architectures": list(cuda.architectures()),
            "schedules": len(cuda.schedules()),
        }
    except Exception as error:
        why.append(f"theorylab._cuda: {_why(error)}")
    return facts


def _at_run_time(why: list[str]) -> dict[str, Any]:
    """CuPy and the compiler that it calls."""
    facts: dict[str, Any] = {"cupy": None, "nvrtc": None}
    try:
        cupy = importlib.import_module("cupy")
        facts["cupy"] = str(cupy.__version__)
    except Exception as error:
        why.append(f"cupy: {_why(error)}; need pip install 'theorylab[cuda]'")
        why.append("NVRTC: not looked for; need cupy")
        return facts
    try:
        facts["nvrtc"] = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
    except Exception as error:
        why.append(f"NVRTC: {_why(error)}; need pip install nvidia-cuda-nvrtc")
    return facts


def _devices(why: list[str]) -> list[str]:
    """Name, chip and memory of every GPU, through whichever of ``_cuda`` and CuPy is there."""
    reasons = []
    for module, found in (("theorylab._cuda", _by_cuda), ("cupy", _by_cupy)):
        try:
            return found(importlib.import_module(module))
        except ImportError:
            continue
        except Exception as error:  # no driver, no device: each library says it its own way
            reasons.append(_why(error))
    if reasons:
        why.append(f"GPU: {reasons[0]}; need a driver and a visible device")
    else:
        why.append("GPU: not looked for; need theorylab._cuda or cupy")
    return []


def _by_cuda(cuda: Any) -> list[str]:
    every = [cuda.facts(index) for index in range(cuda.device_count())]
    return [_shown(each["name"], each["capability"], each["total"]) for each in every]


def _by_cupy(cupy: Any) -> list[str]:
    runtime = cupy.cuda.runtime
    every = [runtime.getDeviceProperties(index) for index in range(runtime.getDeviceCount())]
    return [
        _shown(p["name"].decode(), 10 * p["major"] + p["minor"], p["totalGlobalMem"]) for p in every
    ]


def _shown(name: str, capability: int, memory: int) -> str:
    return f"{name} (sm_{capability}, {memory / 2**30:.0f} GiB)"


def _data() -> dict[str, Any]:
    try:
        from theorylab.data import digits

        return {"digits": len(digits().labels)}
    except Exception as error:
        return {"digits": None, "why": _why(error)}


def _why(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
