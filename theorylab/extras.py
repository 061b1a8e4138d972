"""What an install may lack, packages and data: who brings each, and the line that says so."""

from __future__ import annotations

import importlib
from typing import Any

EXTRAS = {  # what is imported -> the extra of pyproject.toml that installs it
    "torch": "torch",
    "sklearn": "data",
    "PIL": "data",
    "pandas": "frames",
    "pyarrow": "frames",
    "distributed": "cluster",
    "clarabel": "sdp",
    "cupy": "cuda",
}
PACKAGES = {"sklearn": "scikit-learn", "PIL": "Pillow"}  # where the name differs


class MissingExtraError(ImportError):
    """A package of an extra is needed and not installed; ``name`` is what could not be imported."""

    @property
    def extra(self) -> str:
        """The extra that brings it."""
        return EXTRAS[str(self.name)]


class MissingDataError(ValueError):
    """Data that a package of the system brings are not where it puts them.

    package: its name, as Debian has it.
    """

    def __init__(self, message: str, package: str = "") -> None:
        super().__init__(message)
        self.package = package

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.package)


MISSING = (MissingExtraError, MissingDataError)


def need(where: str, *modules: str) -> None:
    """Import ``modules``, keys of ``EXTRAS``.

    Raises MissingExtraError, one line that starts with ``where``, for the first that is not there.
    """
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] != module:
                raise  # it is installed, and lacks something itself
            raise MissingExtraError(
                f"{where}: {PACKAGES.get(module, module)} is not installed; "
                f"need the extra {EXTRAS[module]}: pip install 'theorylab[{EXTRAS[module]}]'",
                name=module,
            ) from None
