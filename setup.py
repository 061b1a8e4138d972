"""Build ``theorylab._core`` (C++/OpenMP, always), ``_cuda`` (with nvcc) and ``_emulated`` (Linux).

Environment:
    THEORYLAB_CUDA=auto|0|1      build ``_cuda`` when nvcc is found | never | fail without nvcc
    THEORYLAB_CUDA_ARCHS="80 90" compute capabilities; cut to what this nvcc knows
    THEORYLAB_SANITIZE=address   passed to -fsanitize, with -O1 -g
    THEORYLAB_WERROR=1           warnings are errors (CI)
    THEORYLAB_EMULATED=1         ``_emulated``, a tool of the tests, into a wheel, too
"""

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pybind11.setup_helpers import Pybind11Extension
from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError

ROOT = Path(__file__).resolve().parent
CUDA = os.environ.get("THEORYLAB_CUDA", "auto")
ARCHS = os.environ.get("THEORYLAB_CUDA_ARCHS", "80 90 100 120").split()
SANITIZE = os.environ.get("THEORYLAB_SANITIZE", "")
WERROR = os.environ.get("THEORYLAB_WERROR", "0") == "1"
X86 = platform.machine() in ("x86_64", "AMD64")

# One source, compiled once per instruction set; csrc/host/dispatch.cpp picks one at import.
# -mfma names the level; -ffp-contract=off still keeps every a*b+c two roundings.
ISA_FLAGS = {"baseline": []}
if X86:
    ISA_FLAGS["avx2"] = ["-mavx2", "-mfma", "-mbmi2"]
    ISA_FLAGS["avx512"] = [*ISA_FLAGS["avx2"], "-mavx512f", "-mavx512vl", "-mavx512bw"]
    ISA_FLAGS["avx512"] += ["-mavx512dq", "-mprefer-vector-width=512"]

WARN = ["-Wall", "-Wextra", *(["-Werror"] if WERROR else [])]
CXX = ["-O3", "-fopenmp", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", *WARN]
LINK = ["-fopenmp"]
if SANITIZE:  # Python's own flags hold -fwrapv, under which no sum of sizes is found to wrap
    CXX += ["-O1", "-g1", "-fno-omit-frame-pointer", "-fno-wrapv", f"-fsanitize={SANITIZE}"]
    LINK += [f"-fsanitize={SANITIZE}"]


def sources(pattern: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc").glob(pattern))


HEADERS = [path for end in ("cuh", "hpp") for path in sources(f"**/*.{end}")]
PER_ISA = "csrc/host/isa.cpp"


def find_nvcc() -> str | None:
    """Path of a working nvcc, or None; exits when THEORYLAB_CUDA=1 demands one."""
    if CUDA not in ("auto", "0", "1"):
        sys.exit(f"setup.py: THEORYLAB_CUDA={CUDA!r}; need auto, 0 or 1")
    if CUDA == "0":
        return None
    home = os.environ.get("CUDA_HOME")
    for nvcc in (os.environ.get("NVCC"), home and f"{home}/bin/nvcc", shutil.which("nvcc")):
        if nvcc and os.path.exists(nvcc):
            try:
                subprocess.run([nvcc, "--version"], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            return nvcc
    if CUDA == "1":
        sys.exit("setup.py: THEORYLAB_CUDA=1, but no working nvcc was found; need one on PATH")
    return None


NVCC = find_nvcc()


def static_cudart() -> str:
    """libcudart_static.a beside this nvcc, so that importing ``_cuda`` needs no CUDA installed."""
    dry = [NVCC, "--dryrun", "-x", "cu", os.devnull, "-o", os.devnull]
    text = subprocess.run(dry, capture_output=True, text=True).stderr
    here = [line.split("_HERE_=")[1].strip() for line in text.splitlines() if "_HERE_=" in line]
    for root in [Path(path).parent for path in here] + [Path(NVCC).resolve().parents[1]]:
        for folder in ("lib64", "lib", f"targets/{platform.machine()}-linux/lib"):
            if (root / folder / "libcudart_static.a").exists():
                return str(root / folder / "libcudart_static.a")
    raise CompileError("setup.py: libcudart_static.a not found beside nvcc; need a full toolkit")


class Sdist(sdist):
    """Adds what a distributor runs: all tests, the scripts, the docs that tests read."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        folders = ("csrc", "tests", "verify", "docs", ".ci")
        named = ("CHANGELOG.md", "CITATION.cff", ".clang-format")
        found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        kept = [path for path in found if path.is_file() and "__pycache__" not in path.parts]
        more = {str(path.relative_to(ROOT)) for path in kept}
        super().make_release_tree(base_dir, sorted({*files, *named, *more}))


class BuildExt(build_ext):
    """Adds two things that setuptools lacks: one source under several flags, and nvcc."""

    def run(self) -> None:
        # A tree that is tested has it: an editable install, or a build in place.
        if not (self.inplace or self.editable_mode or os.environ.get("THEORYLAB_EMULATED") == "1"):
            self.extensions = [e for e in self.extensions if e.name != "theorylab._emulated"]
        super().run()

    def build_extension(self, ext: Pybind11Extension) -> None:
        if ext.name == "theorylab._core":
            ext.extra_objects = self.compile_per_isa()
        cuda = [source for source in ext.sources if source.endswith(".cu")]
        if cuda:
            ext.sources = [source for source in ext.sources if source not in cuda]
            ext.extra_objects = [self.compile_cuda(source) for source in cuda] + [static_cudart()]
        super().build_extension(ext)

    def compile_per_isa(self) -> list[str]:
        def compile_one(item: tuple[str, list[str]]) -> list[str]:
            isa, flags = item
            return self.compiler.compile(
                [PER_ISA],
                output_dir=os.path.join(self.build_temp, isa),
                macros=[("TL_ISA", isa)],
                extra_postargs=["-std=c++17", *CXX, *flags],
            )

        with ThreadPoolExecutor() as pool:
            return [path for paths in pool.map(compile_one, ISA_FLAGS.items()) for path in paths]

    def compile_cuda(self, source: str) -> str:
        listed = subprocess.run([NVCC, "--list-gpu-code"], capture_output=True, text=True)
        known = [arch for arch in ARCHS if f"sm_{arch}" in listed.stdout.split()]
        if not known:
            raise CompileError(f"setup.py: THEORYLAB_CUDA_ARCHS={ARCHS} has none that nvcc knows")
        code = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in known]
        code.append(f"-gencode=arch=compute_{known[-1]},code=compute_{known[-1]}")  # newer chips
        target = Path(self.build_temp) / f"{source}.o"
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-O3", "-std=c++17", "--threads", "0", "-cudart", "static", "-fmad=false"]
        flags += ["-Xcompiler", "-fPIC,-fvisibility=hidden", "-Xfatbin", "-compress-all"]
        flags += ["-Werror", "all-warnings"] if WERROR else []
        command = [NVCC, *flags, *code, "-c", source, "-o", str(target)]
        print(" ".join(command), flush=True)
        try:
            subprocess.run(command, check=True)
        except subprocess.CalledProcessError as error:  # a warning when the extension is optional
            raise CompileError(f"nvcc failed on {source}: {error}") from error
        return str(target)


extensions = [
    Pybind11Extension(
        "theorylab._core",
        [path for path in sources("host/*.cpp") if path != PER_ISA],
        depends=[*HEADERS, PER_ISA],
        cxx_std=17,
        extra_compile_args=CXX,
        extra_link_args=LINK,
    )
]
# Its fibers are POSIX contexts; a test's tool, not a kernel's. A sanitizer is for _core alone.
if platform.system() == "Linux" and not SANITIZE:
    extensions.append(
        Pybind11Extension(
            "theorylab._emulated",
            sources("emulated/*.cpp"),
            depends=HEADERS,
            cxx_std=17,
            extra_compile_args=[*CXX, "-O2"],  # less to wait for; nobody waits for its speed
            extra_link_args=LINK,
        )
    )
if NVCC and sources("cuda/*.cu"):
    extensions.append(
        Pybind11Extension(
            "theorylab._cuda",
            [*sources("cuda/*.cpp"), *sources("cuda/*.cu")],
            depends=HEADERS,
            cxx_std=17,
            extra_compile_args=["-O2", *WARN],
            extra_link_args=["-Wl,--exclude-libs,ALL"],
            libraries=["dl", "rt", "pthread"],
            optional=CUDA != "1",
        )
    )

setup(
    packages=[*find_packages(include=["theorylab*"]), "theorylab._csrc", "theorylab.verify"],
    # An editable install maps _csrc, too, which has an __init__.py; verify is at hand there.
    package_dir={"theorylab._csrc": "csrc", "theorylab.verify": "verify"},
    include_package_data=False,
    package_data={
        "theorylab": ["*.pyi", "py.typed", "members.json"],
        "theorylab.report": ["*.j2"],
        "theorylab.statements": ["listing.json"],
        "theorylab.verify": ["*.toml", "*.json", "full/*.json"],
        "theorylab._csrc": [
            "core/*.cuh",
            "kernels/*.cuh",
            "cuda/*.cuh",
            "cuda/schedules.hpp",
            "host/*",
            "cuda/*.cu",
            "emulated/*",
        ],
    },
    ext_modules=extensions,
    cmdclass={"build_ext": BuildExt, "sdist": Sdist},
)
