"""``theorylab run pdbo``: what it leaves, that it goes on to the same bits, and what it refuses."""

import json

import numpy as np
import pytest

from theorylab import cli
from theorylab.commands.run import folder as run_folder
from theorylab.commands.run import work as command
from theorylab.hypergradients import PDBO, bilevel, pdbo
from theorylab.topologies import topology

STEPS, ROUNDS, TERMS = 4, 8, 3
RUN = ["run", "pdbo", "--problem", "pdbo-mtl-da", "--problem-option", "batch=4", "--topology",
       "sto-d", "--clients", "4", "--rounds", str(ROUNDS), "--outer-steps", str(STEPS), "--terms",
       str(TERMS), "--eta", ".02", "--set", "rate=3", "--seeds", "2", "--seed", "5"]  # fmt: skip
WARM = [*RUN, "--set", "warm=true"]
EACH = ["--checkpoint-every", "1"]
FILES = {"run.json", "trace.npz", "curves.svg", "curves.png", "index.html"}


@pytest.fixture
def plain(monkeypatch):
    """Without pictures, which take most of the time of a small run."""
    monkeypatch.setattr(command, "pictures", lambda *_: {})


def arrays(folder):
    with np.load(folder / "trace.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_a_run_leaves_its_folder_and_is_the_library_call(run, tmp_path):
    done = run(*RUN, "--out", tmp_path / "a")
    assert done.code == 0, done.err
    assert {p.name for p in (tmp_path / "a").iterdir()} == FILES
    record = json.loads((tmp_path / "a" / "run.json").read_text())
    kept = arrays(tmp_path / "a")
    assert (record["status"], record["rounds_done"]) == ("finished", STEPS)
    assert kept["rounds"].tolist() == [0, 1, 2, 3, 4]
    told = []
    made = pdbo(
        bilevel("pdbo-mtl-da", 4, batch=4), topology("sto-d", 4),
        PDBO(0.02, STEPS, TERMS, alpha=0.9, beta=0.1, rate=3.0), rounds=ROUNDS, runs=2, seed=5,
        tell=told.append,
    )  # fmt: skip
    assert len(told) == 2  # a rate of 3 is too long, and some series diverge
    assert all(f"theorylab: {line}\n" in done.err for line in told)
    assert "the exact RMSE need n dx <= 200, and n dx is 7800" in done.err
    for name, values in made.table.items():
        assert np.array_equal(kept[name], values, equal_nan=True), name
    at = kept["validation_accuracy"].argmax(axis=1)
    assert record["selected"]["rounds"] == at.tolist() == [3, 1]  # none of them the last
    assert record["selected"]["columns"]["test_accuracy"]["mean"] == pytest.approx(
        kept["test_accuracy"][[0, 1], at].mean(), rel=1e-15
    )
    assert record["final"]["hypergradient"]["round"] == STEPS - 1
    assert "4 outer steps, 2 runs" in done.out
    assert "At the outer step with the best validation accuracy of each run" in done.out
    assert "pdbo on pdbo-mtl-da: training 5/5, loss " in done.err
    page = (tmp_path / "a" / "index.html").read_text()
    assert "pdbo on pdbo-mtl-da, sto-d of 4" in page
    assert "best validation accuracy" in page
    assert "outer steps" in (tmp_path / "a" / "curves.svg").read_text()
    again = run("run", "--config", tmp_path / "a" / "run.json", "--out", tmp_path / "b")
    assert again.code == 0
    for name in FILES - {"index.html"}:  # whose foot has the command
        same = (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert same, name


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """trace.npz of the warm run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "pictures", lambda *_: {})
        assert cli.run([*WARM, "--out", str(folder)]) == 0
    return (folder / "trace.npz").read_bytes()


class Killed(BaseException):
    """Stands for kill -9."""


def killed_at(monkeypatch, folder, t):
    keep = run_folder.RunFolder.keep

    def deadly(self, setting, snapshot):
        keep(self, setting, snapshot)
        if snapshot.state.t == t:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(run_folder.RunFolder, "keep", deadly)
        with pytest.raises(Killed):
            cli.run([*WARM, *EACH, "--resume", "--out", str(folder)])


def checkpoint(folder, t):
    """The file that was kept after training t, by what it says: two may have one time on disk."""
    for path in (folder / name for name in run_folder.CHECKPOINTS):
        with np.load(path, allow_pickle=False) as file:
            if json.loads(file["header"].tobytes())["t"] == t:
                return path
    raise AssertionError(f"no checkpoint of training {t}")


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("t", range(1, STEPS + 1))
def test_a_killed_run_goes_on_to_the_same_bits(whole, monkeypatch, capsys, tmp_path, t):
    killed_at(monkeypatch, tmp_path, t)
    assert cli.run(["run", "--resume", "--out", str(tmp_path)]) == 0
    assert f"goes on at training {t}\n" in capsys.readouterr().err
    assert (tmp_path / "trace.npz").read_bytes() == whole
    assert not [p for p in tmp_path.iterdir() if "checkpoint" in p.name]


@pytest.mark.usefixtures("plain")
def test_a_torn_checkpoint_is_one_line_and_the_one_before_it_is_used(
    whole, monkeypatch, capsys, tmp_path
):
    killed_at(monkeypatch, tmp_path, 3)
    newer = checkpoint(tmp_path, 3)
    newer.write_bytes(newer.read_bytes()[:200])
    assert cli.run(["run", "--resume", "--out", str(tmp_path)]) == 0
    err = capsys.readouterr().err
    assert err.count("is damaged") == 1
    assert "goes on at training 2\n" in err
    assert (tmp_path / "trace.npz").read_bytes() == whole


@pytest.mark.usefixtures("plain")
def test_another_run_in_the_folder_is_refused(refused, monkeypatch, capsys, tmp_path):
    killed_at(monkeypatch, tmp_path, 2)
    capsys.readouterr()
    line = refused("run", "--terms", 9, "--resume", "--out", tmp_path)
    assert "algorithm.terms was 3, is 9" in line


@pytest.mark.usefixtures("plain")
def test_a_step_that_cannot_be_made_keeps_those_before_it(run, monkeypatch, tmp_path):
    honest = PDBO.hypergradient

    def fails(self, problem, graph, state, *others):
        if state.s == 2:
            raise ValueError("hgp: rho(A_zz) is 1.5")
        return honest(self, problem, graph, state, *others)

    monkeypatch.setattr(PDBO, "hypergradient", fails)
    done = run(*RUN, "--out", tmp_path)
    assert done.code == 1
    assert f"theorylab: outer step 2: hgp: rho(A_zz) is 1.5; {tmp_path} holds" in done.err
    record = json.loads((tmp_path / "run.json").read_text())
    assert (record["status"], record["rounds_done"]) == ("diverged", 1)
    assert arrays(tmp_path)["outer_loss"].shape == (2, 2)


def test_runs_of_pdbo_are_compared(run, plain, tmp_path):
    for name, flags in (("hot", []), ("mild", ["--set", "warm=true"])):
        assert run(*RUN, *flags, "--out", tmp_path / name).code == 0
    done = run("compare", tmp_path / "hot", tmp_path / "mild")
    assert done.code == 0, done.err
    assert "test_accuracy_low" in done.out


OUT = ["--out", "out"]
NO_RATE = [text for text in RUN if text != "rate=3"]
NO_RATE.remove("--set")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "pdbo"], "run: --problem is missing"),
        ([*RUN, "--problem", "quadratic"], "no problem 'quadratic'; need one of"),
        ([*RUN, "--problem-option", "nope=1"], "has no option 'nope'"),
        ([*RUN, "--set", "nope=1"], "pdbo: unknown option 'nope'; need one of eta, outer_steps"),
        ([*RUN, "--outer-steps", "-1"], "pdbo: outer_steps is -1; need an integer >= 0"),
        ([*RUN, "--terms", "0"], "pdbo: terms is 0; need an integer >= 1"),
        ([*RUN, "--set", "alpha=2"], "pdbo: alpha is 2; need 0..1"),
        ([*RUN, "--set", "alpha=1", "--set", "beta=.5"], "pdbo: beta is 0.5, but alpha is 1"),
        ([*RUN, "--set", "optimizer=x"], "pdbo: optimizer is 'x'; need one of adam, sgd"),
        ([*RUN, "--set", "omega=x"], "pdbo: omega is 'x'; need one of realised, mean"),
        ([*NO_RATE, "--set", "rate=0"], "pdbo: rate is 0.0; need a finite number > 0"),
        ([*NO_RATE, "--set", "rate=[1,1]"], "pdbo: rate has 2 numbers for 13 hyperparameters"),
        ([*NO_RATE, "--set", 'rate={"x":1}'], "pdbo: rate names x; "),
        ([*RUN, "--set", "drops=5"], "pdbo: drops is 5; need a list of rounds"),
        ([*RUN, "--set", "drops=[5,5]"], "pdbo: drops is [5, 5]; need rounds that rise"),
        ([*RUN, "--set", "drop=2"], "pdbo: drop is 2; need 0 < drop <= 1"),
        ([*RUN, "--set", "warm=1"], "pdbo: warm is 1; need true or false"),
        ([*RUN, "--set", "beta1=1"], "adam: beta1 is 1; need 0 <= beta1 < 1"),
        ([*RUN, "--eta", "-1", *OUT], "sgp: step is -1.0; need a number > 0"),
        ([*RUN, "--loss", ".1"], "pdbo: a fault (--loss, "),
        ([*RUN, "--x0", "1"], "pdbo: --x0 came; need a run without it"),
        ([*RUN, "--every", "2"], "pdbo: --every came"),
        ([*RUN, "--one-graph"], "pdbo: --one-graph came"),
        ([*RUN, "--columns", "loss", *OUT], "pdbo: no column 'loss'; need some of outer_loss"),
        ([*RUN, "--topology", "random-in", "--topology-option", "degree=1"], "Eq. (3) needs it"),
        ([*RUN, "--topology", "directed-ring", *OUT], "Assumption 6 fails: client 0 sends to 1"),
        (["run", "sgp", "--problem", "log-cosh", "--topology", "ring", "--clients", "3", "--rounds",
          "2", "--eta", "1", "--terms", "3"], "sgp: unknown option 'terms'"),
    ],
)  # fmt: skip
def test_bad_input_is_named_in_one_line(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_step_too_large_is_rho_with_its_value_and_nothing_is_written(refused, tmp_path):
    line = refused(*RUN, "--eta", 400, "--out", tmp_path / "x")
    assert "rho(A_zz) is " in line or "the inner problem diverges" in line
    assert not (tmp_path / "x").exists()
