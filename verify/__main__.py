"""``python -m theorylab.verify NAME ...`` runs verify/NAME.py, also where no tree is at hand."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(arguments: Sequence[str]) -> int:
    """The exit code, 2 and one line on a name that is none; a script ends by its own."""
    scripts = {path.stem: path for path in sorted(HERE.glob("*.py")) if _is_script(path)}
    if not arguments or arguments[0] not in scripts:
        asked = f"no script {arguments[0]!r}; " if arguments else ""
        print(f"theorylab.verify: {asked}need one of {', '.join(scripts)}", file=sys.stderr)
        return 2
    path = scripts[arguments[0]]
    sys.argv = [str(path), *arguments[1:]]
    sys.path.insert(0, str(HERE))  # as where the file itself is run: it may import its neighbours
    runpy.run_path(str(path), run_name="__main__")
    return 0


def _is_script(path: Path) -> bool:
    return not path.stem.startswith("_") and "__main__" in path.read_text(encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
