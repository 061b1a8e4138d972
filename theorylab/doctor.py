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
    """The two ways to a GPU: the compiled ``_cuda`` and kernels compiled at run time by CuPy."""
    facts: dict[str, Any] = {"built": False, "cupy": None, "devices": [], "why": []}
    if importlib.util.find_spec("theorylab._cuda") is None:
        facts["why"].append("theorylab._cuda: not built; need nvcc and THEORYLAB_CUDA=1")
    else:
        try:
            importlib.import_module("theorylab._cuda")
            facts["built"] = True
        except Exception as error:
            facts["why"].append(f"theorylab._cuda: {_why(error)}")
    try:
        cupy = importlib.import_module("cupy")
        facts["cupy"] = str(cupy.__version__)
    except Exception as error:
        facts["why"].append(f"cupy: {_why(error)}; need pip install 'theorylab[cuda]'")
        facts["why"].append("GPU: not looked for; need cupy")
        return facts
    try:
        runtime = cupy.cuda.runtime
        for index in range(runtime.getDeviceCount()):
            facts["devices"].append(runtime.getDeviceProperties(index)["name"].decode())
    except Exception as error:
        facts["why"].append(f"GPU: {_why(error)}; need a driver and a visible device")
    return facts


def _data() -> dict[str, Any]:
    try:
        from theorylab.data import digits

        return {"digits": len(digits().labels)}
    except Exception as error:
        return {"digits": None, "why": _why(error)}


def _why(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
