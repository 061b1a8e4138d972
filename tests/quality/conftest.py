"""The scripts of ``verify`` are imported by their names, as they import each other."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "verify"))
