"""list, constants, doctor, bench, and the program itself in its own process."""

import json
import os
import subprocess
import sys

import pytest

import theorylab
from theorylab import cli, doctor, statements
from theorylab.commands.bench import work as bench_command
from theorylab.report.tally import expected_claims, refutation, tally

COMMANDS = (
    *("list", "verify", "explain", "check", "falsify", "replay", "run", "compare", "speedup"),
    *("hypergradient", "constants", "worst", "plan", "bench", "report", "doctor"),
    *("new", "sweep"),
)
# pydantic is not among them: typer itself imports it
HEAVY = ("numpy", "scipy", "sympy", "torch", "matplotlib", "networkx", "joblib", "mpmath")


def program(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-c", "from theorylab.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_loads_nothing_heavy(arguments):
    # what makes help slow is an import; a clock would depend on the machine
    code = (
        "import sys\nfrom theorylab.cli import run\n"
        f"code = run({arguments!r})\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(code or (9 if heavy else 0))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage: " in done.stdout


def test_help_lists_every_command_and_the_exit_codes(run):
    done = run("--help")
    assert done.code == 0
    assert all(f"\n  {name} " in done.out for name in COMMANDS)
    assert "Exit codes: 0 " in done.out
    assert run().out == done.out
    assert set(cli.KEPT) == set(COMMANDS)


def test_the_program_exits_with_the_code_and_keeps_its_streams_apart():
    done = program("--version")
    assert (done.returncode, done.stdout) == (0, f"theorylab {theorylab.__version__}\n")
    done = program("verify", "--jobs", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "theorylab: verify: --jobs is 0; need at least 1\n"


def test_list_shows_every_statement_version_and_check(run):
    text = run("list", "statements").out
    data = json.loads(run("list", "--json", "-").out)["statements"]
    assert [entry["id"] for entry in data] == list(statements.BUILT_IN)
    for entry in data:
        statement = statements.BUILT_IN[entry["id"]]
        assert list(entry["versions"]) == list(statement.versions)
        for version, checks in entry["versions"].items():
            assert version in text
            for name, verdict in checks.items():
                assert f"{name}: {verdict}" in text
    only = json.loads(run("list", "*.lem1", "--json", "-").out)["statements"]
    assert only
    assert all(entry["id"].endswith(".lem1") for entry in only)


def test_list_is_a_screen_of_papers_with_the_counts_of_what_is_false(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line for line in run("list").out.splitlines() if line.strip()]
    assert len(lines) <= 16
    assert all(len(line) <= 80 for line in lines[:9])
    for paper in statements.NOT_RUN:
        (cells,) = (line.split() for line in lines if line.split()[0] == paper)
        own = [s for name, s in statements.BUILT_IN.items() if name.startswith(f"{paper}.")]
        count = tally(expected_claims(own))
        assert [int(cell) for cell in cells[1:6] if cell] == [
            *(len(own), sum(len(v.checks) for s in own for v in s.versions.values())),
            *(count.total, count.inherited, count.empty),
        ]


def test_the_same_words_name_a_paper_for_list_and_verify_and_a_row_says_what_is_false(run):
    done = run("list", "DePRL")
    rows = [line for line in done.out.splitlines() if line.startswith(" deprl.")]
    names = [name for name in statements.BUILT_IN if name.startswith("deprl.")]
    assert [row.split()[0] for row in rows] == names
    for row, name in zip(rows, names, strict=True):
        found = refutation(expected_claims([statements.BUILT_IN[name]]))
        assert (found.severity if found else "") in row
        assert ("(inherited)" in row) == (found is not None and found.kind == "inherited")
    data = json.loads(run("list", "DePRL", "--json", "-").out)
    assert [each["id"] for each in data["statements"]] == names
    assert data["not_run"].keys() == {"deprl"}


def test_a_list_that_is_taken_for_a_statement_is_told_where_it_is(refused):
    assert "need theorylab list symbols" in refused("verify", "symbols")
    assert "need theorylab list algorithms" in refused("explain", "algorithms")


def test_constants_come_as_a_table_and_as_json(run, tmp_path):
    path = tmp_path / "constants.json"
    done = run("constants", "directed-ring", "--clients", 8, "--json", path)
    assert done.code == 0
    content = json.loads(path.read_text())
    assert content["clients"] == content["topology"]["clients"] == 8
    assert content["topology"]["name"] == "directed-ring"
    for name, constant in content["constants"].items():
        assert name in done.out
        assert {"value", "log10", "how", "source"} <= set(constant)
    assert content["constants"]["diameter"]["value"] == 7  # n - 1 on a directed ring
    assert content["constants"]["max_out_degree"]["value"] == 2  # itself and the next
    again = run("constants", "directed-ring", "--clients", 8, "--json", "-")
    assert again.out == path.read_text()


def test_constants_take_the_options_of_a_topology(run):
    ask = ["constants", "random-out", "--clients", 6, "--degree", 2, "--seed", 5, "--horizon", 20]
    done = run(*ask, "--option", "weights=uniform", "--json", "-")
    described = json.loads(done.out)["topology"]
    assert (described["degree"], described["seed"], described["weights"]) == (2, 5, "uniform")


def test_constants_take_an_edge_list(run, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"clients": 3, "edges": [[0, 1], [1, 2], [2, 0]]}))
    content = json.loads(run("constants", path, "--json", "-").out)
    assert content["clients"] == 3
    assert content["constants"]["diameter"]["value"] == 2


@pytest.mark.usefixtures("few_lags")
def test_a_constant_beyond_float64_is_shown_by_its_logarithm(run):
    done = run("constants", "directed-ring", "--clients", 1200, "--horizon", 2, "--json", "-")
    constants = json.loads(done.out)["constants"]
    beyond = {k: c for k, c in constants.items() if c["value"] in (None, 0) and c["log10"]}
    assert beyond  # 1 - q of the SGP lemma on a long ring
    table = run("constants", "directed-ring", "--clients", 1200, "--horizon", 2).out
    for name, constant in beyond.items():
        row = next(line for line in table.splitlines() if f" {name} " in line)
        assert f"10^{constant['log10']:.1f}" in row


def test_doctor_reports_what_is_there(run):
    facts = json.loads(run("doctor", "--json", "-").out)
    assert facts["theorylab"] == theorylab.__version__
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert facts["kernels"]["built"]
    assert facts["kernels"]["isa"] in facts["kernels"]["usable"]
    assert facts["packages"]["numpy"]
    text = run("doctor").out
    for part in ("python", "numpy", "instruction set", "threads", "CUDA", "CuPy", "GPU", "digits"):
        assert part in text


def test_doctor_says_why_where_the_installation_is_broken(run, monkeypatch, tmp_path):
    for broken in ("theorylab._core", "sklearn.datasets", "cupy"):
        monkeypatch.setitem(sys.modules, broken, None)
    doctor.importlib.invalidate_caches()
    done = run("doctor", "--json", tmp_path / "doctor.json")
    assert done.code == 0
    facts = json.loads((tmp_path / "doctor.json").read_text())
    assert not facts["kernels"]["built"]
    assert "theorylab._core" in facts["kernels"]["why"]
    assert any(line.startswith("cupy: ") for line in facts["cuda"]["why"])
    assert "missing" in done.out


def test_bench_prints_the_table_of_a_record_or_only_json(run, monkeypatch):
    seen = []

    def measure(quick):
        seen.append(quick)
        return {"bench": "push_mix", "quick": quick}

    monkeypatch.setattr(bench_command, "BENCHES", {"push_mix": measure, "other": measure})
    monkeypatch.setattr(bench_command, "render", lambda record: f"table of {record['bench']}")
    assert run("bench", "push_mix", "--quick").out == "table of push_mix\n"
    assert len(json.loads(run("bench", "--json", "-").out)["benches"]) == 2
    assert seen == [True, False, False]
