"""One result as every surface tells it: terminal, page, figure, LaTeX, pytest, a notebook.

Names, both sides, what the verdict rests on, and the sentences that a person can quote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from theorylab.explain import Explanation, fault_of
from theorylab.report.names import paper_name
from theorylab.report.number import percent, plain
from theorylab.report.prose import first_sentence
from theorylab.verdicts.result import Result

_NOBODY = re.compile(r"by no instance of (.+?): (.+?) against: (.+); here .*")
_EMPTY = "the claim is empty here: "  # before what a VACUOUS one asks for
_ASSUMED = "assumed: "
_HOW = {
    "printed": "as printed",
    "implied": "in what it needs and does not print",
}
_CONTROL = "lies outside of what is claimed, and shows that the measurement can tell"


def nearest(results: Iterable[Result]) -> Result | None:
    """The result whose ratio is the largest, controls apart; None where none has a ratio."""
    logs = [(r.log10_ratio, r) for r in results if not r.control]
    told = [(log, r) for log, r in logs if log is not None]
    return max(told, key=lambda pair: pair[0], default=(0.0, None))[1]


@dataclass(frozen=True)
class Shown:
    """A result in words.

    Attributes:
        result: what was judged.
        number: sets a number, (value, log10, digits): ``plain`` for a terminal, ``typeset`` for a
            page.
    """

    result: Result
    number: Callable[..., str] = plain

    @property
    def reading(self) -> str:
        """``dfedsgpsm.thm1 [printed]``."""
        return f"{self.result.id} [{self.result.version}]"

    @property
    def place(self) -> str:
        """``Theorem 1 of DFedSGPSM``: the locator of its source, which ends at a colon."""
        paper, rest = self._parted()
        locator = rest.partition(":")[0]
        return f"{locator} of {paper_name(paper)}" if locator else self.result.id

    @property
    def source(self) -> str:
        """Where the claim is from, the paper by the name that people use."""
        paper, rest = self._parted()
        return f"{paper_name(paper)}{', ' * bool(rest)}{rest}"

    @property
    def how(self) -> str:
        """``as printed``, ``in the reading line-9``, ``as corrected``."""
        version, _, reading = self.result.version.partition("/")
        if version == "printed" and reading:
            return f"in the reading {reading}"
        return _HOW.get(version, f"as {self.result.version}")

    @property
    def measured(self) -> str:
        return self.number(self.result.measured)

    @property
    def bound(self) -> str:
        return self.number(self.result.bound, self.result.log10_bound)

    @property
    def limits(self) -> tuple[str, str]:
        """The lower and the upper limit of the measured side."""
        low, high = self.result.ci
        return self.number(low), self.number(high)

    @property
    def interval(self) -> str:
        """``0.1 .. 0.2``, or the one number that both limits are."""
        return " .. ".join(dict.fromkeys(self.limits))

    @property
    def over(self) -> str:
        """Measured over bound; of an identity, whose bound is rounding, how far it is off."""
        result = self.result
        if result.relative_error is not None and result.severity:
            return f"{self.number(100 * result.relative_error, digits=3)} % off"
        return self.ratio

    @property
    def per(self) -> str:
        """``a decade`` or ``a unit``: of an order, whose sides are factors of growth; else ""."""
        method = self.result.interval
        if not method.startswith("slope"):
            return ""
        return "a unit" if "against the value itself" in method else "a decade"

    @property
    def ratio(self) -> str:
        """``2.44``, a power of ten beyond float64, ``bound is 0``, ``bound < 0``."""
        result = self.result
        if None not in (result.bound, result.measured) and result.log10_bound is None:
            return "bound is 0" if result.bound == 0 else "bound < 0"
        log, value = result.log10_ratio, result.ratio
        beyond = log is not None and math.isfinite(log) and not (value and 0 < value < math.inf)
        return self.number(value, log if beyond else None, digits=3)

    @property
    def slack(self) -> str:
        """One clause: how far the measured side is below the bound or above it; "" if unknown.

        Of an order: how fast its ratio grows, and may grow.
        """
        result, log = self.result, self.result.log10_ratio
        if log is None or result.measured is None:
            return ""
        if self.per:
            return self.compared
        if log == math.inf:
            return f"the measured side is {self.measured}, the bound {self.bound}"
        if log == -math.inf:
            if result.relation == ">=":
                return f"the measured side is {self.measured}, the lower bound {self.bound}"
            return f"the measured side is {self.measured}: nothing of the bound is used"
        if result.relation == ">=":
            times = self.number(10.0**-log, digits=3) if abs(log) < 300 else f"10^{-log:.1f}"
            return f"the measured side is {times} × the lower bound"
        if log > 0:
            return f"the measured side is {self.ratio} × the bound"
        if log < -1:
            times = self.number(10.0**-log, digits=3) if log > -300 else f"10^{-log:.1f}"
            return f"the bound is {times} × the measured side"
        used = 10.0**log
        return f"{percent(used)} of the bound is used, {percent(1 - used)} is slack"

    @property
    def compared(self) -> str:
        """Both sides as numbers, in words."""
        result, number = self.result, self.number
        if self.per:
            return (
                f"the left side over the claimed rate grows {self.measured}-fold {self.per}, where "
                f"{self.bound}-fold is allowed"
            )
        if result.relative_error is not None and result.relation != ">=":
            return f"both sides differ by {number(100 * result.relative_error, digits=3)} %"
        low = "lower " if result.relation == ">=" else ""
        log = result.log10_ratio
        if log is None or abs(log) >= 300:
            times = ""
        else:
            times = f", {number(10.0 ** (-log if low else log), digits=3)} times"
        return f"the left side is {self.measured} and the {low}bound {self.bound}{times}"

    @property
    def constants(self) -> list[tuple[str, str, str, str]]:
        """Name, value, how it is known, and where from, of each."""
        rows = []
        for name, known in self.result.constants.items():
            within = f"in {known['within']}: " if known.get("within") else ""
            value = self.number(known.get("value"), known.get("log10"))
            how, source = str(known.get("how", "")), f"{within}{known.get('source', '')}"
            rows.append((name, value, how, source))
        return rows

    @property
    def clause(self) -> str:
        """What the result says of its claim, as the rest of a sentence about it."""
        result = self.result
        if result.control:
            return f"{_CONTROL}: {result.verdict}"
        return result.outcome.word.clause.format(
            how=self.how,
            kind=f" ({result.severity})" if result.severity else "",
            compared=self.compared,
            reason=_nobody(result.reason.removeprefix(_EMPTY)),
        )

    def sentences(self, told: Explanation) -> tuple[str, str]:
        """(what was found, why). The second is empty where nothing is kept of it."""
        result = self.result
        found = f"{self.place} {self.clause}, on {told.instance}"
        noticed = bool(result.noticed) and result.noticed not in found  # a reason may be the note
        found += f"; note: {result.noticed}." if noticed else "."
        return found, first_sentence(told.fails) if told.false else ""

    @property
    def stands_on(self) -> str:
        """What a false verdict stands on, and whose fault it repeats."""
        fault = fault_of(self.result)
        again = f"the fault of {fault}" if fault else ""
        return "; ".join(part for part in (self.result.rests_on, again) if part)

    @property
    def rests_on(self) -> str:
        """The line on a verdict that tells against its claim."""
        what = self.stands_on
        return f"{self.reading}: {self.result.severity}" + (f"; {what}." if what else ".")

    @property
    def believed(self) -> list[tuple[str, str]]:
        """What was "given" or "assumed" of every run, and not looked at."""
        parts = list(filter(None, self.result.given.split("; ")))
        assumed = [part.removeprefix(_ASSUMED) for part in parts if part.startswith(_ASSUMED)]
        said = "; ".join(part for part in parts if not part.startswith(_ASSUMED))
        return [("given", said)] * bool(said) + [("assumed", part) for part in assumed]

    @property
    def given(self) -> str:
        """What a user says of every run, where limits from runs rest on it; "" where none do."""
        told = ", ".join(f"{word}: {what}" for word, what in self.believed)
        return f"{self.reading}: {self.result.verdict} from runs, {told}." * bool(told)

    @property
    def noticed(self) -> str:
        """What was seen of a user's algorithm that its class does not say; "" where nothing was."""
        return f"{self.reading}: note: {self.result.noticed}." if self.result.noticed else ""

    def _parted(self) -> tuple[str, str]:
        """The paper of its source, whose name may have a comma, and the rest."""
        result = self.result
        if result.paper and result.source.startswith(f"{result.paper}, "):
            return result.paper, result.source.removeprefix(f"{result.paper}, ")
        paper, _, rest = result.source.partition(", ")
        return paper, rest


def _nobody(reason: str) -> str:
    """The reason of an UNSATISFIABLE one as a clause: who breaks which assumption, and why."""
    found = _NOBODY.fullmatch(reason)
    if found is None:
        return reason
    whose, broken, facts = found.groups()
    place, colon, says = broken.partition(": ")
    told = f"{place} ({says})" if colon else place
    return f"no instance of {whose}{',' * (',' in whose)} satisfies {told}, since {facts}"
