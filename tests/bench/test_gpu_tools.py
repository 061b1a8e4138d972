"""The GPU bench's tiny checks under compute-sanitizer: found, late, killed, not installed."""

import pytest

from theorylab.bench import _gpu_checks as checks
from theorylab.bench import gpu

SAID = """a
========= Invalid __global__ read of size 4 bytes
=========     at void tl::f_gpu<float>(float*)+0x10
b
========= ERROR SUMMARY: 1 error
"""


class Process:
    """Of a tool: racecheck finds something, synccheck takes too long."""

    asked, killed = [], []

    def __init__(self, command, **options):
        Process.asked.append((command, options["env"]["PYTORCH_NO_CUDA_MEMORY_CACHING"]))
        assert options["start_new_session"]
        self.tool, self.pid = command[2], len(Process.asked)
        self.returncode = 99 if self.tool == "racecheck" else 0

    def communicate(self, timeout=None):
        if self.tool == "synccheck" and self.pid not in Process.killed:
            raise checks.subprocess.TimeoutExpired("it", timeout)
        return SAID, None


def test_the_sanitizer_is_run_on_tiny_checks_and_must_be_done(monkeypatch):
    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    (absent,) = checks.sanitized(60)
    assert absent["clean"] is None
    assert gpu.all_is_well({"sanitizer": [absent], "checks": [], "failed": []})
    monkeypatch.setattr(checks.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(checks.subprocess, "Popen", Process)
    monkeypatch.setattr(checks.os, "killpg", lambda group, how: Process.killed.append(group))
    records = {made["tool"]: made for made in checks.sanitized(60)}
    assert len(Process.asked) == len(records) == len(checks.TOOLS)
    assert all(
        command[-4:] == ["--gpu", "--tiny", "--budget", "120"] for command, _ in Process.asked
    )
    assert [tool for tool, made in records.items() if made["clean"]] == ["memcheck"]
    assert records["racecheck"]["why"] == (
        "Invalid __global__ read of size 4 bytes / at void tl::f_gpu<float>(float*)+0x10 / b / "
        "ERROR SUMMARY: 1 error"
    )
    assert records["synccheck"]["why"] == "not done within 60 s"
    for tool in ("racecheck", "synccheck"):
        assert not gpu.all_is_well({"sanitizer": [records[tool]], "checks": [], "failed": []})


def test_tools_are_ended_where_the_bench_is_interrupted(monkeypatch):
    made = []

    class Interrupted:
        def __init__(self, command, **options):
            made.append(self)
            self.pid, self.returncode, self.ended = len(made), None, False

        def communicate(self, timeout=None):
            if not self.ended:
                raise KeyboardInterrupt

    monkeypatch.setattr(checks.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(checks.subprocess, "Popen", Interrupted)
    killed = lambda group, how: setattr(made[group - 1], "ended", True)  # noqa: E731
    monkeypatch.setattr(checks.os, "killpg", killed)
    with pytest.raises(KeyboardInterrupt):
        checks.sanitized(60)
    assert [each.ended for each in made] == [True] * len(checks.TOOLS)
