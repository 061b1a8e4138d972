"""Whether what a user's file brings is what it says it is."""

from theorylab.conformance.files import brought as brought
from theorylab.conformance.files import check_things as check_things
from theorylab.conformance.files import exit_code as exit_code

__all__ = [
    "brought", "check_things", "exit_code",
]  # fmt: skip
