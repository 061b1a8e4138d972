"""Where a page comes from."""

import shutil
import subprocess

import pytest

import theorylab
from theorylab.commands import origin


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_checkout_has_its_commit_and_a_wheel_has_none(tmp_path, monkeypatch):
    def git(*words):
        monkeypatch.delenv("GIT_DIR", raising=False)
        told = ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e@e", *words]
        return subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()

    package = tmp_path / "theorylab"
    package.mkdir()
    source = package / "__init__.py"
    source.write_text("")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    monkeypatch.setattr(theorylab, "__file__", str(source))
    commit = git("rev-parse", "HEAD")[:12]
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))  # as in a hook of another repository
    assert origin._commit.__wrapped__() == commit
    source.write_text("changed = True\n")
    assert origin._commit.__wrapped__() == f"{commit}-dirty"
    wheel = tmp_path / "venv" / "theorylab"  # installed within a checkout of something else
    wheel.mkdir(parents=True)
    monkeypatch.setattr(theorylab, "__file__", str(wheel / "__init__.py"))
    assert origin._commit.__wrapped__() == ""
    git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")
    wheel = tmp_path / "theirs"  # beside the files of that checkout, and none of them
    wheel.mkdir()
    monkeypatch.setattr(theorylab, "__file__", str(wheel / "__init__.py"))
    (wheel / "__init__.py").write_text("")
    assert origin._commit.__wrapped__() == ""
    (tmp_path / "venv" / ".git").mkdir()  # no repository, within one
    package = tmp_path / "venv" / "theorylab" / "__init__.py"
    package.write_text("")
    git("add", "venv")
    git("commit", "-q", "-m", "two")
    monkeypatch.setattr(theorylab, "__file__", str(package))
    assert origin._commit.__wrapped__() == ""
    monkeypatch.setattr(theorylab, "__file__", str(source))
    (tmp_path / "ran").unlink(missing_ok=True)
    assert origin._commit.__wrapped__().endswith("-dirty")
    assert not (tmp_path / "ran").exists()
