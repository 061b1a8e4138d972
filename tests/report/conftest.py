"""Results as a judge would make them, but made by hand: reports are tested without a simulation."""

import html.parser
import re
import xml.etree.ElementTree as ET

import pytest

from theorylab.verdicts.result import AssumptionResult, Curve, Result

FORMULA = (
    r"\frac{2 (1 - \alpha) (f(\bar{x}^0) - f^*)}{K T \eta_l} + \frac{L K \eta_l \sigma_l^{2}}"
    r"{1 - \alpha} + \frac{3 L^{2} \eta_l^{2} \left(64 B^{2} K^{2} + \frac{32 K^{2} \alpha^{2} "
    r"\left(B^{2} + \sigma_l^{2}\right)}{\left(1 - \alpha\right)^{2}}\right)}{\delta} "
    r"+ \frac{6 C^{2} L^{2} \overline{\|x^0\|^2}}{T \left(1 - q^{2}\right)} "
    r"+ \frac{2 (f(\bar{x}^0) - f^*)}{T \eta_l \sum_{k=1}^{K} \sum_{s=1}^{k} \alpha^{k - s}}"
)
INSTANCE = {
    "problem": {"name": "log-cosh", "dim": 1, "center": 8.0},
    "topology": {"name": "edge-list", "edges": [[0, 1], [1, 2], [0, 4], [0, 2], [3, 6]]},
    "clients": 8,
    "rounds": 12000,
    "algorithm": {"eta": 1e-3, "alpha": 0.9, "rho": 0.0, "local_steps": 1},
}
CONSTANTS = {
    "L": {"value": 1.0, "lower": None, "upper": None, "log10": 0.0, "how": "exact",
          "source": "max sech^2 = 1 at the center"},
    "delta": {"value": 0.4154, "lower": None, "upper": None, "log10": -0.3815, "how": "exact",
              "source": "smallest row sum of P(t)...P(0), t < 12000"},
    "q": {"value": 0.78, "lower": 0.7799, "upper": 0.7801, "log10": -0.1079, "how": "certified",
          "source": "second singular value of the debiased products"},
    "D": {"value": None, "lower": None, "upper": None, "log10": 312.4, "how": "upper",
          "source": "closed formula of the SGP lemma"},
}  # fmt: skip
ROUNDS = [1, 3, 10, 30, 100, 300, 1000, 3000, 12000]


def curve(start, end, bound):
    measured = [start + (end - start) * i / 8 for i in range(9)]
    return Curve(
        rounds=ROUNDS,
        measured=measured,
        lower=[0.97 * m for m in measured],
        upper=[1.03 * m for m in measured],
        bound=bound,
    )


def make(**change):
    """The worked example of a wrong theorem, with fields changed at will."""
    fields = {
        "id": "dfedsgpsm.thm1",
        "version": "printed",
        "check": "worked-example",
        "verdict": "VIOLATED",
        "expected": "VIOLATED",
        "measured": 0.6089,
        "ci": (0.6089, 0.6089),
        "bound": 0.2493,
        "log10_bound": -0.6033,
        "ratio": 2.4424,
        "terms": {"optimisation": 0.121, "noise": 0.0, "client drift": 0.0462,
                  "initial disagreement": 0.0, "consensus": 0.0821, "sharpness": 0.0},
        "assumptions": [
            AssumptionResult(name="Assumption 2 (L-smoothness)", holds=True),
            AssumptionResult(name="Theorem 1: eta_l < delta / (8 L K)", holds=True, margin=0.98),
        ],
        "constants": CONSTANTS,
        "instance": INSTANCE,
        "interval": "deterministic: the measured side is one number",
        "reason": "the measured side is 2.44 times the bound, and every assumption holds",
        "runs": 1,
        "curve": curve(1.0, 0.6089, [0.1284 + 1452 / t for t in ROUNDS]),
        "quantity": r"\frac{1}{T}\sum_{t=0}^{T-1} E\|\nabla f(\bar{x}^t)\|^2",
        "formula": FORMULA,
        "source": "dfedsgpsm, Theorem 1: convergence of DFedSGPSM, smooth non-convex losses",
        "seconds": 1.25,
    }  # fmt: skip
    return Result(**{**fields, **change})


def example():
    """One of each verdict, with what each brings along."""
    broken = AssumptionResult(
        name="Theorem 1: eta_l < delta / (8 L K)",
        holds=False,
        margin=-0.134,
        reason="eta_l = 0.06, delta/(8 K L) = 0.0519",
    )
    return [
        make(),
        make(check="step-above-cap", verdict="ASSUMPTION_FAILS", expected="ASSUMPTION_FAILS",
             measured=None, ci=(None, None), bound=None, log10_bound=None, ratio=None, terms={},
             assumptions=[broken, *make().assumptions[:1]], curve=None, runs=0,
             reason="Theorem 1: eta_l < delta / (8 L K) fails by 13.4 %"),
        make(version="printed/sgp", verdict="VACUOUS", expected="VACUOUS", bound=None,
             log10_bound=312.4, ratio=0.0, terms={"optimisation": 0.121, "consensus": None},
             curve=curve(1.0, 0.6089, [None] * 9), reason="the bound is 10^312.4, B^2 is 1"),
        make(version="corrected", verdict="HOLDS", expected="HOLDS", bound=1.27,
             log10_bound=0.1038, ratio=0.479,
             curve=curve(1.0, 0.6089, [1.2 + 900 / t for t in ROUNDS])),
        make(version="corrected", check="sam-momentum-noise", verdict="INCONCLUSIVE",
             expected="HOLDS", ci=(0.2, 1.9), bound=0.61, ratio=0.998, runs=64,
             curve=Curve(rounds=ROUNDS, measured=[0.6] * 9, lower=[None] * 9, upper=[2.0] * 9,
                         bound=[0.61 + 3 / t for t in ROUNDS]),
             reason="the interval straddles the bound; about 900 more runs would decide"),
        make(id="dfedsgpsm.lem1", check="momentum", verdict="HOLDS", expected="VIOLATED",
             measured=2.1e-16, ci=(2.1e-16, 2.1e-16), bound=7.4e-13, log10_bound=-12.13,
             ratio=2.8e-4, terms={"rounding": 7.4e-13}, formula=r"\frac{u m}{1 - u m} S",
             curve=curve(1.1e-16, 2.1e-16, [7.4e-13] * 9)),
    ]  # fmt: skip


class Reader(html.parser.HTMLParser):
    """Tags in order, with a check that each is closed where it must be."""

    VOID = frozenset(("meta", "br", "hr", "img", "link", "input"))

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.wrong = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append((tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += f"{data} "

    @property
    def shown(self):
        return " ".join(self.text.split())

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @property
    def targets(self):
        """What the page links to or shows, as it stands there."""
        return [a[k] for _, a in self.tags for k in ("href", "src") if k in a]


@pytest.fixture
def read():
    return Reader


@pytest.fixture
def pages():
    """Results -> file name -> text of every page; figures have made-up paths."""
    from theorylab.report.groups import papers
    from theorylab.report.page import overview, paper_page

    def every(results):
        found = papers(results)
        drawn = lambda result: f"figures/{len(result.check)}.svg"  # noqa: E731
        made = {paper.file: paper_page(paper, found, drawn) for paper in found}
        return {"index.html": overview(found), **made}

    return every


@pytest.fixture
def only(pages):
    """Results of one paper -> the paper's page, read."""

    def one(results):
        (text,) = (text for name, text in pages(results).items() if name != "index.html")
        return Reader(text)

    return one


@pytest.fixture(name="make")
def make_fixture():
    return make


@pytest.fixture
def results():
    return example()


class Drawn(list):
    """The elements of a result's figure."""

    @property
    def texts(self):
        return [each.text for each in self if each.tag.endswith("}text")]

    def points(self, role):
        """Where the curve of a role goes."""
        (path,) = (each for each in self if each.get("class") == role)
        pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d"))
        return [(float(a), float(b)) for a, b in pairs]


@pytest.fixture
def drawn():
    """``drawn(result)``: its figure."""
    from theorylab.report import figure

    return lambda result: Drawn(ET.fromstring(figure.svg(result)).iter())
