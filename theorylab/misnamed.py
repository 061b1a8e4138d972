"""Which name was meant, where Python says only that the one in a user's file is not there."""

from __future__ import annotations

import re
import sys

from theorylab import registry

_IMPORT = re.compile(r"cannot import name '(\w+)'")
_OPTION = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")


def meant(error: Exception) -> str:
    """The sentence; "" of an error about something else.

    Of a name that a module of theorylab has not, the nearest that it has. Of an option that a part
    of a claim has not (``theorylab.statements``), the parts that have it, or the nearest name.

    >>> import theorylab.statements
    >>> meant(TypeError("Version.__init__() got an unexpected keyword argument 'slack'"))
    "Version has no 'slack'; need it in Order"
    """
    module = str(getattr(error, "name", None))
    found = _IMPORT.match(str(error))
    if found is not None and f"{module}.".startswith("theorylab.") and module in sys.modules:
        need = registry.meant(found[1], dir(sys.modules[module]), f"a name that {module} has")
        return f"{module} has no {found[1]!r}; {need}"
    found = _OPTION.match(str(error))
    claims = getattr(sys.modules.get("theorylab.statements"), "__dict__", {})
    parts = {
        name: list(part.__dataclass_fields__)
        for name, part in claims.items()
        if hasattr(part, "__dataclass_fields__")
    }
    if found is None or found[1] not in parts or found[2] in parts[found[1]]:
        return ""
    owners = [name for name, options in parts.items() if found[2] in options]
    need = f"need it in {' or '.join(owners)}" if owners else ""
    return f"{found[1]} has no {found[2]!r}; {need or registry.meant(found[2], parts[found[1]])}"
