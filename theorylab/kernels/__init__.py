"""Own kernels: same bits for 1 to 8 threads, every instruction set, a batch and its runs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.kernels._device import on_device as on_device
    from theorylab.kernels._limits import LONGEST_RUN as LONGEST_RUN
    from theorylab.kernels._limits import MOST_BATCH as MOST_BATCH
    from theorylab.kernels._limits import MOST_CLIENTS as MOST_CLIENTS
    from theorylab.kernels._limits import MOST_DIM as MOST_DIM
    from theorylab.kernels._limits import MOST_RUNS as MOST_RUNS
    from theorylab.kernels._limits import MOST_STEPS as MOST_STEPS
    from theorylab.kernels._limits import check_room as check_room
    from theorylab.kernels._limits import read_text as read_text
    from theorylab.kernels._local_steps_tables import aligned_matrices as aligned_matrices
    from theorylab.kernels._rounds_device import DeviceRounds as DeviceRounds
    from theorylab.kernels._threads import get_threads as get_threads
    from theorylab.kernels._threads import set_threads as set_threads
    from theorylab.kernels.draws import Stream as Stream
    from theorylab.kernels.glm_hvp import glm_hvp as glm_hvp
    from theorylab.kernels.glm_hvp import softmax_hvp as softmax_hvp
    from theorylab.kernels.local_steps import ClientLosses as ClientLosses
    from theorylab.kernels.local_steps import aligned_rows as aligned_rows
    from theorylab.kernels.local_steps import ascent as ascent
    from theorylab.kernels.mix_jvp import mix_jvp as mix_jvp
    from theorylab.kernels.push_mix import Mixing as Mixing
    from theorylab.kernels.push_mix import push_mix as push_mix
    from theorylab.kernels.push_mix_drawn import push_mix_drawn as push_mix_drawn
    from theorylab.kernels.random_edges import random_edges as random_edges
    from theorylab.kernels.random_edges import random_mixing as random_mixing
    from theorylab.kernels.rounds import DrawnNetwork as DrawnNetwork
    from theorylab.kernels.rounds import rounds as rounds
else:
    from theorylab.lazy import attach

    attach(__name__)
