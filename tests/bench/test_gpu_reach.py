"""Every schedule that the GPU bench times is one that its checks try, at the sizes of a card."""

import numpy as np
import pytest

from theorylab.bench import gpu
from theorylab.kernels import _paths
from theorylab.kernels._as_loops import AsLoops
from theorylab.kernels._paths import Facts

H200 = Facts("H200", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
TIMED = {
    "push_mix_tiles", "push_mix_groups", "push_mix_columns", "push_weights", "push_mix_dense",
    "push_mix_drawn", "glm_hvp_rows", "glm_hvp_kept", "glm_hvp_pulls", "hvp_outer", "hvp_finish",
    "softmax_rows", "softmax_logits", "softmax_curve", "mix_rows", "draws_normal, LongWalk",
    "draws_normal, ShortWalk", "draws_words, LongWalk", "draws_words, ShortWalk",
    "local_steps_blocks", "local_steps_pairs", "local_steps_pass", "local_steps_squares",
    "push_mix_tiles, apart", "push_mix_drawn, apart",
}  # fmt: skip


class Noted(AsLoops):
    """Launches that nobody runs."""

    def launch(self, schedule, grid, words, device, stream):
        self.launched.append((schedule, grid))


def named(schedule):
    walk = next((kind for kind in schedule.types if kind.endswith("Walk")), "")
    apart = ", apart" if schedule.name in ("push_mix_tiles", "push_mix_drawn") else ""
    if apart and schedule.types[2] == "1":
        apart = ""
    return schedule.name + (f", {walk.removeprefix('tl::')}" if walk else apart)


@pytest.mark.parametrize("tiny", [True, False])
def test_checks_reach_every_schedule(tiny, monkeypatch):
    path, rng = Noted(0, H200), np.random.default_rng(1)
    monkeypatch.setattr(_paths, "_played", [path])
    for kernel in gpu.KERNELS.values():
        for dtype in ("float32", "float64"):
            for trial in list(kernel.trials(rng, dtype, tiny))[:: 2 if tiny else 1]:
                trial.call(np.array, None)
    # Many clients are too much for a tool that looks at every access.
    wanted = TIMED - ({"push_mix_columns"} if tiny else set())
    assert wanted <= {named(schedule) for schedule, _ in path.launched}
