"""``theorylab check``: whether what a file brings is what it says it is."""

from __future__ import annotations

from theorylab import imports
from theorylab.commands.check import Check
from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.request import named_values
from theorylab.commands.table import print_table
from theorylab.conformance import brought, check_things, exit_code
from theorylab.registry import shown
from theorylab.user_file import UserFaultError


def check(asked: Check) -> int:
    """Print what was checked of everything that the files register; the exit code.

    Raises Refused for a file that is not there, or that fails, or brings nothing.
    """
    given = named_values("check: --set", asked.settings)
    with imports.scope():
        paths = []
        for file in asked.files:
            with refusing():
                try:
                    paths.append(imports.import_file(file).path)
                except UserFaultError:
                    raise
                except ValueError as error:
                    raise ValueError(str(error).replace("--import", "check:", 1)) from None
        things = brought(paths)
        for path in paths:
            if not brought([path]):
                raise Refused(
                    f"check: {shown(str(path))} brings nothing; need a class or a function that "
                    "names itself, as in class Mine(Problem, name='mine')"
                )
        with refusing():
            findings = list(check_things(things, given, asked.clients))
    code = exit_code(findings)
    asked.write_json({"exit": code, "findings": [each.as_json() for each in findings]})
    if asked.speaks:
        rows = [
            (f"{f.kind} {f.name}", f.checked, f.result, f"{f.by}\n({f.how})" if f.by else f.how)
            for f in findings
        ]
        styles = ["bold red" if f.result in ("LIE", "raises") else "" for f in findings]
        columns = ("thing", "checked", "result", "by how much, and how")
        print_table("", columns, rows, styles)
        lies = sum(f.result == "LIE" for f in findings)
        tell(f"{len(findings)} checks of {len(things)} things: {lies} lies")
    return code
