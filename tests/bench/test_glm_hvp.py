import io
import json
import time

import numpy as np
import pytest
import torch
from rich.console import Console

from theorylab import _core, bench
from theorylab.bench import glm_hvp as module
from theorylab.bench._checkout import beside
from theorylab.kernels import get_threads, set_threads

SMALL = (5, 7, 9, 2)
HVP = beside("hvp")


@pytest.fixture(scope="module")
def record():
    before = get_threads(), torch.get_num_threads()
    made = bench.BENCHES["glm_hvp"](quick=True)
    assert (get_threads(), torch.get_num_threads()) == before
    return made


def test_the_record_is_json_and_names_the_machine(record):
    assert json.loads(json.dumps(record)) == record
    assert record["quick"]
    assert record["machine"]["isa"] == _core.isa()
    assert record["machine"]["threads"] == 2


def test_ratios_are_those_of_the_medians(record):
    assert [case["name"] for case in record["cases"]] == list(module.CASES)
    for case in record["cases"]:
        seconds = case["seconds"]
        assert min(seconds.values()) > 0
        assert case["read_over_ours"] == seconds["read"] / seconds["theorylab out="]
        assert case["floor_seconds"] == seconds["read"]
        assert set(record["targets"].get(case["name"], {})) <= set(seconds)
        for name, value in seconds.items():
            low, high = case["spread"][name]
            assert low <= value <= high
            assert case["speedup"][name] == value / seconds["theorylab out="]
            assert case["speedup_fresh"][name] == value / seconds["theorylab"]


def test_a_call_needs_little_memory_beside_its_arrays(record):
    # points and sums of two threads, and their stacks: far from the 19 MB of A in the quick case
    assert all(0 <= case["extra_bytes"] <= 8 << 20 for case in record["cases"])


def test_floors_count_bytes_and_flops_by_hand():
    # n = 2, m = 3, d = 4, k = 1: A 24, h 6, V 8, out 8 floats; 24 products and sums twice
    assert module.least_bytes(2, 3, 4, 1, 0) == 4 * (24 + 6 + 8 + 8)
    assert module.flops(2, 3, 4, 1, 0) == 4 * 24
    # 5 classes: prob 30 more, V and out five times as long, as many columns; 3 edges of 20 numbers
    assert module.least_bytes(2, 3, 4, 1, 5) == 4 * (24 + 6 + 30 + 80)
    assert module.flops(2, 3, 4, 1, 5, edges=3) == 4 * 24 * 5 + 2 * 3 * 20


def plain(kernel, given):
    """What every contestant computes, and the sizes of what it adds, by einsum in float64."""
    made = []
    for sizes in (False, True):
        part = {key: np.float64(abs(a) if sizes else a) for key, a in given.items()}
        A, h, V = part["A"], part["h"], part["V"]
        if "prob" in part:
            z = np.einsum("nmd,nkdc->nkmc", A, V)
            p = part["prob"][:, None]
            mean = (p * z).sum(axis=-1, keepdims=True)
            y = (z + mean if sizes else z - mean) * p * h[:, None, :, None]
            out = np.einsum("nmd,nkmc->nkdc", A, y)
        else:
            z = np.einsum("nmd,nkd->nkm", A, V) * h[:, None] / A.shape[1]
            out = np.einsum("nkm,nmd->nkd", z, A)
        out = out + module.REG * V
        if kernel == "mix_jvp":
            mixed = np.tensordot(part["c"], V, axes=(1, 0))
            s = part["s"].reshape(-1, *[1] * (V.ndim - 1))
            out = mixed + s * out if sizes else mixed - s * out
        made.append(out)
    return made


@pytest.mark.parametrize(
    ("kernel", "classes"), [("glm_hvp", 0), ("softmax_hvp", 3), ("mix_jvp", 0), ("mix_jvp", 3)]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_contestant_computes_the_same_thing(kernel, classes, dtype):
    given = module.inputs(*SMALL, classes, dtype)
    want, sizes = plain(kernel, given)
    # at most 7 + 9 + 5 + 3 + 16 roundings in any order of the sums: gamma_40 < 21 eps
    limit = 21 * np.finfo(dtype).eps * sizes
    for name, function in module._contestants(kernel, given).items():
        if name == "read":
            function()
            continue
        for _ in range(2):  # buffers are used again
            out = np.asarray(function()).reshape(want.shape)
            assert np.all(abs(out - want) <= limit), name


def test_what_bounds_many_vectors_is_measured_or_said_to_be_absent(record, monkeypatch):
    *others, case = record["cases"]
    assert all(case["absent"] == {} for case in others)
    bounds = {"jax", module.APART, module.ONCE}
    assert set(case["absent"]) == bounds - set(case["seconds"])
    assert module.APART in case["seconds"]
    given = module.inputs(*SMALL, 0, "float64")

    def absent(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(HVP, "import_module", absent)
    monkeypatch.setattr(_core, "arithmetic", lambda single, once, products: not once)
    made, missing = module._bounds(given, 100)
    assert set(made) == {module.APART}
    assert missing == {"jax": "not installed", module.ONCE: f"{_core.isa()} has none"}
    shown = record | {"cases": [case | {"absent": missing}]}
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(bench.render(shown))
    assert "jax: not installed" in console.export_text()


def test_jax_computes_the_same_thing():
    pytest.importorskip("jax")
    given = module.inputs(*SMALL, 0, "float64")
    want, sizes = plain("glm_hvp", given)
    out = np.asarray(HVP.jax_peer(given, module.REG)())
    assert out.dtype == np.float64
    assert np.all(abs(out - want) <= 21 * np.finfo(np.float64).eps * sizes)


@pytest.mark.parametrize("single", [False, True])
def test_more_flops_in_registers_take_longer_and_too_many_are_refused(single):
    threads = get_threads()
    set_threads(1)

    def seconds(products):
        start = time.thread_time()
        assert _core.arithmetic(single, False, products)
        return time.thread_time() - start

    try:
        many, few = (min(seconds(count) for _ in range(3)) for count in (4 * 10**8, 10**6))
    finally:
        set_threads(threads)
    assert many > 4e-4  # no thread does 10^12 a second; a busy machine only makes it longer
    assert many > 2 * few  # of 400 times as many
    with pytest.raises(ValueError, match=r"^arithmetic: -1 came; need 0 to 2"):
        _core.arithmetic(single, False, -1)


def test_a_client_hears_itself_and_others_with_equal_shares():
    c = module.inputs(20, 1, 1, 1, 0)["c"]
    assert np.all((c > 0).sum(axis=1) == module.COLUMN)
    assert np.all(c[c > 0] == np.float32(1 / module.COLUMN))
    assert np.all(c.diagonal() > 0)
    assert len({tuple(row) for row in c.tolist()}) == 20


def test_the_table_shows_every_case_and_contestant(record):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(bench.render(record))
    text = console.export_text()
    for case in record["cases"]:
        assert f"{case['kernel']}: n={case['n']} m={case['m']} d={case['d']}" in text
        assert f"{case['extra_bytes'] / 2**20:.1f} MiB beside the arrays" in text
        for seconds in case["seconds"].values():
            assert f"{seconds * 1e3:.{4 if 'tiny' in case['name'] else 2}f}" in text
