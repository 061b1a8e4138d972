"""What is wrong with a claim that is false: not every false claim is false in the same way."""

import enum


class Severity(enum.StrEnum):
    """From the mildest to the worst; the value is what tables print."""

    HARMLESS = "harmless"  # false, and on the safe side: what is built on it stands
    MISPRINT = "misprint"  # a slip of a sign, an index or a letter; what is meant is plain
    MISSING_HYPOTHESIS = "missing hypothesis"  # true once something is assumed besides
    WRONG_CONSTANT = "wrong constant"  # true with another factor, the same for all instances
    WRONG_ORDER = "wrong order"  # no factor helps: it is off without limit in some parameter
    EMPTY = "empty"  # no instance, or none that anybody can run, meets what it assumes
