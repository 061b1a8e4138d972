"""``theorylab doctor``: what this installation has and what it lacks, and why."""

from typing import Any

from theorylab.commands.options import Json, Options


class Doctor(Options):
    """Show what this installation has and what it lacks, and why."""

    json_target: Json = None

    def work(self) -> int:
        """The exit code is 0, since a part that is missing is no error."""
        from theorylab.commands.table import print_table
        from theorylab.doctor import examined

        facts = examined()
        self.write_json(facts)
        if self.speaks:
            print_table("", ("part", "state", "why"), _rows(facts))
        return 0


def _rows(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    kernels, cuda, data = facts["kernels"], facts["cuda"], facts["data"]
    return [
        ("theorylab", facts["theorylab"], ""),
        ("python", f"{facts['python']} on {facts['platform']}", ""),
        ("sqlite", facts["sqlite"], ""),
        *((name, version or "not installed", "") for name, version in facts["packages"].items()),
        ("kernels (_core)", "present" if kernels["built"] else "missing", kernels.get("why", "")),
        (
            "instruction set",
            kernels["isa"] or "-",
            f"available: {' '.join(kernels['usable']) or 'none'}; THEORYLAB_ISA forces one",
        ),
        ("threads", str(kernels["threads"] or "-"), "THEORYLAB_THREADS sets them"),
        *_gpu_rows(cuda),
        (
            "digits data",
            f"{data['digits']} images" if data["digits"] else "missing",
            data.get("why", ""),
        ),
    ]


def _gpu_rows(cuda: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Each way to the GPU's kernels, what a call would take, and the GPUs."""
    lacks = dict(item.split(": ", 1) for item in cuda["why"])
    chips = ", ".join(f"sm_{each}" for each in cuda["architectures"])
    built = f"{cuda['schedules']} schedules for {chips} and newer" if cuda["built"] else "missing"
    jit = f"NVRTC {cuda['nvrtc']}" if cuda["nvrtc"] else "missing"
    loops = f"{cuda['emulated']} schedules" if cuda["emulated"] else "missing"
    return [
        ("CUDA ahead of time (aot)", built, lacks.get("theorylab._cuda", "")),
        ("CuPy", cuda["cupy"] or "missing", lacks.get("cupy", "")),
        ("CUDA at run time (jit)", jit, lacks.get("NVRTC", "")),
        ("CUDA as host loops", loops, lacks.get("theorylab._emulated", "for tests")),
        (
            "path of a call",
            cuda["path"] or "none",
            lacks.get("path", "THEORYLAB_CUDA_PATH sets it: auto, aot, jit"),
        ),
        ("GPU", ", ".join(cuda["devices"]) or "none visible", lacks.get("GPU", "")),
    ]
