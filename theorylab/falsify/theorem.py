"""A user's file, as text with its SHA-256: what a counterexample to its claim is of."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from theorylab.verdicts import texts


class Theorem(BaseModel):
    """A user's file as it was when the search began.

    ``modules``: SHA-256 of each local module that it imports, by its path from the file's folder.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    sha256: str
    text: str
    modules: dict[str, str]

    @staticmethod
    def of(path: str | Path) -> Theorem:
        """Nothing is run. Raises OSError, and ValueError where there is no text."""
        (name, text), *modules = texts(path).items()
        try:
            shown = text.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{path}: not UTF-8 text; need a Python file") from None
        sums = {other: hashlib.sha256(content).hexdigest() for other, content in modules}
        return Theorem(name=name, sha256=hashlib.sha256(text).hexdigest(), text=shown, modules=sums)

    def difference(self, other: Theorem) -> str | None:
        """In which file the two differ, None where they are the same code."""
        if self.sha256 != other.sha256:
            return (
                f"its SHA-256 is {other.sha256[:16]}..., that of {self.name} {self.sha256[:16]}..."
            )
        for module in sorted({*self.modules, *other.modules}):
            if self.modules.get(module) != other.modules.get(module):
                return f"{module}, which it imports, is another"
        return None
