import json

import numpy as np
import pytest

from theorylab.topologies import topology
from theorylab.topologies.edge_list import EdgeList

RING = [[0, 1], [1, 2], [2, 0]]
CARRIED = [[0, 0, 0.25], [0, 1, 0.75], [1, 1, 0.5], [1, 0, 0.5]]


def written(tmp_path, content):
    path = tmp_path / "graph.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_file_and_its_edges_give_the_same_matrix(tmp_path):
    path = written(tmp_path, {"clients": 3, "edges": RING})
    P = topology("edge-list", 3, path=str(path)).matrix(0).toarray()
    assert np.array_equal(P, [[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    assert np.array_equal(P, EdgeList(3, edges=RING).matrix(0).toarray())
    assert EdgeList(path=path).clients == 3


def test_a_description_holds_the_edges_and_not_the_file(tmp_path):
    path = written(tmp_path, {"clients": 2, "edges": CARRIED})
    built = EdgeList(path=path)
    path.unlink()
    again = topology(**built.describe())
    assert np.array_equal(again.matrix(0).toarray(), [[0.25, 0.5], [0.75, 0.5]])


def test_every_rule_of_weights_can_be_named_in_the_file(tmp_path):
    both = [*RING, *[[j, i] for i, j in RING]]
    for rule in ("uniform", "metropolis", "lazy", "lazy-metropolis"):
        path = written(tmp_path, {"clients": 3, "edges": both, "weights": rule})
        assert EdgeList(path=path).describe()["weights"] == rule


GOOD = {"clients": 3, "edges": RING}
BAD = [
    ('{"clients": 3, "edg', r"line 1 column 16: .*; need JSON"),
    ("[1, 2]", "the file holds a list; need an object"),
    ("3", "the file holds a int; need an object"),
    ({**GOOD, "weigths": "lazy"}, "unknown key 'weigths'; need some of clients, edges"),
    ({"clients": 3}, "no key 'edges'"),
    ({"edges": RING}, "no key 'clients'"),
    ({**GOOD, "clients": "3"}, "clients is a str; need a int"),
    ({**GOOD, "clients": True}, "clients is a bool; need a int"),
    ({**GOOD, "clients": 0}, "clients is 0; need at least 1"),
    ({**GOOD, "edges": {"0": 1}}, "edges is a dict; need a list"),
    ({**GOOD, "edges": [3]}, r"edge 0 is 3; need \[from, to\]"),
    (
        {**GOOD, "edges": [[0, 1], [1, 3]]},
        r"edge 1 is \[1, 3\]: 3 is no client; need integers 0..2",
    ),
    ({**GOOD, "edges": [[-1, 0]]}, r"edge 0 is \[-1, 0\]: -1 is no client"),
    ({**GOOD, "edges": [[0.0, 1]]}, r"edge 0 is \[0.0, 1\]: 0.0 is no client"),
    ({**GOOD, "edges": [*RING, [0, 1]]}, r"edge 3 is \[0, 1\], listed twice"),
    ({**GOOD, "edges": [[0, 1], [1, 0, 0.5]]}, r"edge 1 is \[1, 0, 0.5\]; need \[from, to\] thr"),
    ({**GOOD, "edges": [[0, 1, -0.5]]}, r"edge 0 is \[0, 1, -0.5\]; need a finite weight > 0"),
    ('{"clients": 2, "edges": [[0, 1, NaN]]}', r"edge 0 is \[0, 1, nan\]; need a finite weight"),
    ('{"clients": 2, "edges": [[0, 1, 1e999]]}', r"edge 0 is \[0, 1, inf\]; need a finite weight"),
    ({**GOOD, "edges": [[0, 1, "1"]]}, r"edge 0 is \[0, 1, '1'\]; need a finite weight > 0"),
    ({"clients": 2, "edges": [*CARRIED[:3], [1, 0, 0.4]]}, "column 1 of P sums to 0.9; need 1"),
    (
        {"clients": 2, "edges": [[0, 1, 1.0], [1, 0, 1.0]]},
        "client 0 has no self-loop; need an edge",
    ),
    ({**GOOD, "weights": "given"}, "weights='given', but the edges have no weights; need one of"),
    ({"clients": 2, "edges": CARRIED, "weights": "lazy"}, "weights='lazy', but the edges have a w"),
    ({**GOOD, "weights": "even"}, "weights='even'; need one of uniform"),
    ({**GOOD, "weights": "metropolis"}, "edge 0 -> 1 has no reverse"),
    ({**GOOD, "self_loops": 1}, "self_loops is a int; need a bool"),
    ({**GOOD, "edges": RING[:2]}, "client 1 cannot reach client 0; need a strongly connected"),
    ({**GOOD, "edges": []}, "client 1 cannot be reached from client 0"),
    ("[" * 100_000, "nested too deep|need JSON"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_it(tmp_path, content, message):
    path = written(tmp_path, content)
    with pytest.raises(ValueError, match=message) as caught:
        EdgeList(path=path)
    assert str(caught.value).startswith(f"edge-list {path}: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file_a_folder_and_bytes_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"none.json: No such file or directory; need a readable"):
        EdgeList(path=tmp_path / "none.json")
    with pytest.raises(ValueError, match="Is a directory"):
        EdgeList(path=tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="bytes: not UTF-8 text; need JSON"):
        EdgeList(path=tmp_path / "bytes")


def test_what_the_file_says_is_not_said_again(tmp_path):
    path = written(tmp_path, {**GOOD, "weights": "lazy"})
    with pytest.raises(ValueError, match="clients is 4, but the file has 3; need the same"):
        EdgeList(4, path=path)
    with pytest.raises(ValueError, match="weights is set here and in the file; need one"):
        EdgeList(path=path, weights="uniform")
    with pytest.raises(ValueError, match="need edges or path, and not both"):
        EdgeList(3)


def test_self_loops_can_be_left_out_and_graphs_left_apart():
    P = EdgeList(3, edges=RING, self_loops=False).matrix(0).toarray()
    assert P.trace() == 0
    assert EdgeList(3, edges=[], allow_disconnected=True).matrix(0).nnz == 3
    P = EdgeList(2, edges=[[0, 1, 1.0], [1, 0, 1.0]], self_loops=False).matrix(0).toarray()
    assert np.array_equal(P, [[0, 1], [1, 0]])
