"""theorylab: put a convergence theorem on the bench.

``kernels``, ``topologies``, ``problems``, ``algorithms`` and ``runs`` are the empirical arm;
``symbols``, ``statements`` and ``constants`` the theory arm. They meet in ``verdicts``.
``hypergradient`` differentiates a bilevel problem over a network in one call; ``to_frame`` makes a
pandas DataFrame of results, traces, curves and constants; ``sweep`` runs a campaign over a grid.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
import warnings

__all__ = ["__version__", "hypergradient", "sweep", "to_frame", "worst"]
__version__ = "0.2.0"


def _is_built(folder: str) -> bool:
    """Whether the compiled kernels lie in a package's folder."""
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    return any(os.path.exists(os.path.join(folder, "_core" + suffix)) for suffix in suffixes)


def _folders(own: str) -> list[str]:
    """Where this package's modules come from.

    Python prefers the folder that it is started in. If that is a checkout whose kernels were never
    built there, all modules come from the installed package, so that none meets another version's.

    Raises:
        ImportError: there is no other package that is built.
    """
    if _is_built(own):
        return [own]
    parent = os.path.realpath(os.path.dirname(own))
    others = [path for path in sys.path if os.path.realpath(path or os.curdir) != parent]
    spec = importlib.machinery.PathFinder.find_spec(__name__, others)
    found = list((spec and spec.submodule_search_locations) or ())
    if not found or not _is_built(found[0]):
        raise ImportError(
            f"theorylab: the kernels of {own} are not built, and no other theorylab is installed; "
            "need pip install -e . in that checkout, or pip install . and another folder"
        )
    warnings.warn(f"theorylab: {own} is not built; {found[0]} is used instead", stacklevel=3)
    return found


__path__ = _folders(os.path.dirname(os.path.abspath(__file__)))


def __getattr__(name: str) -> object:
    # Imported on first use: ``import theorylab`` alone must stay cheap.
    if name == "hypergradient":
        from theorylab.hypergradients import hypergradient

        return hypergradient
    if name == "to_frame":
        from theorylab.tables import to_frame

        return to_frame
    if name == "sweep":
        from theorylab.campaigns import sweep

        return sweep
    if name == "worst":  # the package, which is called as its function
        return importlib.import_module("theorylab.worst")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
