"""Build ``theorylab._core`` (C++/OpenMP, always), ``_cuda`` (with nvcc) and ``_emulated`` (Linux).

``python setup.py build_emulated`` puts ``_emulated``, a tool of the tests, into this tree.

Environment:
    THEORYLAB_CUDA=auto|0|1      build ``_cuda`` where nvcc is found and a GPU answers | never |
                                 always, and fail without nvcc
    THEORYLAB_CUDA_ARCHS="80 90" compute capabilities, cut to what this nvcc knows; if omitted,
                                 those of the GPUs that answer; without a GPU, ``EVERY_ARCH``
    THEORYLAB_LIBOMP=FOLDER      macOS: where libomp is; Homebrew's if omitted
    THEORYLAB_SANITIZE=address   passed to -fsanitize, with -O1 -g
    THEORYLAB_WERROR=1           warnings are errors (CI)
    THEORYLAB_EMULATED=1         ``_emulated`` into whatever is installed or built, too
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pybind11
from pybind11.setup_helpers import Pybind11Extension
from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError

ROOT = Path(__file__).resolve().parent
CUDA = os.environ.get("THEORYLAB_CUDA", "auto")
ASKED_ARCHS = os.environ.get("THEORYLAB_CUDA_ARCHS", "").split()
EVERY_ARCH = ["80", "90", "100", "120"]
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
OPENMP, LINK = ["-fopenmp"], ["-fopenmp"]
if platform.system() == "Darwin":  # Apple's clang refuses -fopenmp and has no libomp of its own
    LIBOMP = os.environ.get("THEORYLAB_LIBOMP", "/opt/homebrew/opt/libomp")
    OPENMP = ["-Xclang", "-fopenmp", f"-I{LIBOMP}/include"]
    LINK = [f"-L{LIBOMP}/lib", "-lomp"]
CXX = ["-O3", *OPENMP, "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", *WARN]
BINDING = "-O1"  # what is no kernel: less to wait for
if SANITIZE:  # Python's own flags hold -fwrapv, under which no sum of sizes is found to wrap
    CXX += ["-O1", "-g1", "-fno-omit-frame-pointer", "-fno-wrapv", f"-fsanitize={SANITIZE}"]
    LINK += [f"-fsanitize={SANITIZE}"]


def sources(pattern: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc").glob(pattern))


PER_ISA = "csrc/host/isa.cpp"
READ = ("CPATH", "CPLUS_INCLUDE_PATH", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
PARTS = sources("host/bind_*.cpp")  # of csrc/host/module.cpp, which includes them
COMPILERS = ThreadPoolExecutor(os.cpu_count())  # of all extensions together


@functools.cache
def gpus() -> list[int]:
    """The compute capability of each GPU that the driver sees: 90 for 9.0."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
            return []
        found = []
        for device in range(count.value):
            parts = ctypes.c_int(0), ctypes.c_int(0)
            for part, attribute in zip(parts, (75, 76), strict=True):  # of cuda.h: major and minor
                if driver.cuDeviceGetAttribute(ctypes.byref(part), attribute, device):
                    return []
            found.append(10 * parts[0].value + parts[1].value)
    except (OSError, AttributeError):
        return []
    return found


def architectures(
    asked: list[str], chips: list[int], every: list[str], known: list[str]
) -> list[str]:
    """What to compile for, oldest first: what is asked for, or the chips, or every one.

    known: what this nvcc knows; a newer chip runs the code of the newest one before it. A chip that
    is older than all of ``every`` is not compiled for, nor is what serves one chip alone, as 90a.
    """
    if asked:
        return sorted({*asked} & {*known}, key=lambda arch: int(arch.rstrip("af")))
    plain = [arch for arch in known if arch.isdecimal() and int(arch) >= int(every[0])]
    reach = sorted(plain, key=int)
    fits = [[arch for arch in reach if int(arch) <= chip][-1:] for chip in chips]
    wanted = {arch for last in fits for arch in last} or set(every)
    return [arch for arch in reach if arch in wanted]


def find_nvcc() -> str | None:
    """Path of the nvcc to build with, or None; exits when THEORYLAB_CUDA=1 demands one."""
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
            return nvcc if CUDA == "1" or gpus() else None
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
        named = ("CHANGELOG.md", "CITATION.cff", ".clang-format", ".pre-commit-hooks.yaml")
        found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        kept = [path for path in found if path.is_file() and "__pycache__" not in path.parts]
        more = {str(path.relative_to(ROOT)) for path in kept}
        super().make_release_tree(base_dir, sorted({*files, *named, *more}))


@functools.cache
def contents(folder: str) -> str:
    """Of all that a file of csrc/folder may include, in short."""
    read = {"core", "kernels", folder, "cuda" if folder == "emulated" else folder}
    digest = hashlib.sha256()
    for path in [path for each in sorted(read) for path in sources(f"{each}/*.*")]:
        digest.update(path.encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def kept(target: Path, source: str, words: list[str], make: Callable[[], object]) -> str:
    """target, which ``make`` compiles only where words or sources differ from those of last time.

    setuptools compiles for every wheel and install anew, in a temporary folder.
    """
    given = [os.environ.get(name, "") for name in READ]
    text = "\0".join([*words, *given, contents(Path(source).parent.name)])
    made_of = hashlib.sha256(text.encode()).hexdigest()
    note = target.with_suffix(".made_of")
    if not (target.exists() and note.exists() and note.read_text() == made_of):
        target.parent.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        make()
        note.write_text(made_of)
    return str(target)


LISTS = {
    "theorylab/members.json": (
        "from theorylab.lazy import ROOMS, written; found = {kind: written(kind) for kind in ROOMS}"
    ),
    "theorylab/statements/listing.json": (
        "from theorylab.report.listing import listing; found = listing()"
    ),
}


def write_lists(folder: Path) -> None:
    """What a checkout makes of its sources at the first use, for a wheel, made by its own code.

    Where the build cannot import what theorylab needs, the first use makes that list, too.
    """
    for name, code in LISTS.items():
        if not (folder / name).parent.is_dir():
            continue  # extensions alone were built there
        (folder / name).unlink(missing_ok=True)
        whole = (
            f"import json, sys; sys.path.insert(0, sys.argv[1]); {code}; print(json.dumps(found))"
        )
        words = [sys.executable, "-P", "-c", whole, str(folder)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0:
            (folder / name).write_text(done.stdout)
        else:
            last = done.stderr.strip().splitlines()[-1:]
            print(f"setup.py: {name} is left to the first use: {' '.join(last)}", flush=True)


class BuildExt(build_ext):
    """Adds what setuptools lacks: files at once, one under several flags, nvcc, kept objects."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or True  # extensions, which wait for COMPILERS
        self.force = True  # linking takes a moment, and flags have no date

    def run(self) -> None:
        if os.environ.get("THEORYLAB_EMULATED") != "1":
            self.extensions = [e for e in self.extensions if e.name != "theorylab._emulated"]
        stale = list(
            Path(self.build_lib).glob("theorylab/_*.so")
        )  # a wheel takes all that is there
        if self.inplace or self.editable_mode:
            names = {extension.name for extension in self.extensions}
            stale += [] if "theorylab._cuda" in names else ROOT.glob("theorylab/_cuda*.so")
        for path in stale:
            path.unlink()
        super().run()
        if not (self.inplace or self.editable_mode):
            write_lists(Path(self.build_lib).resolve())

    def build_extension(self, ext: Pybind11Extension) -> None:
        jobs = []
        if PER_ISA in ext.sources:  # the longest, and so the first
            jobs = [COMPILERS.submit(self.compile, ext, PER_ISA, isa) for isa in ISA_FLAGS]
        cuda = [source for source in ext.sources if source.endswith(".cu")]
        jobs += [COMPILERS.submit(self.compile_cuda, source) for source in cuda]
        others = [source for source in ext.sources if source not in (PER_ISA, *cuda)]
        jobs += [COMPILERS.submit(self.compile, ext, source) for source in others]
        try:
            ext.extra_objects = [job.result() for job in jobs] + [static_cudart() for _ in cuda]
        finally:
            for job in jobs:  # of a build that failed
                job.cancel()
        ext.sources = []
        super().build_extension(ext)

    def compile(self, ext: Pybind11Extension, source: str, isa: str = "") -> str:
        flags = [*ext.extra_compile_args, *(ISA_FLAGS[isa] if isa else [BINDING])]
        compiler = getattr(self.compiler, "compiler_so_cxx", self.compiler.compiler_so)
        asked = [*compiler, "--version"]  # compiler[0] may be a cache's command
        version = subprocess.run(asked, capture_output=True, text=True).stdout
        words = [*compiler, version, sys.version, pybind11.__version__, *flags, isa]
        folder = self.folder([*compiler, *flags])
        (target,) = self.compiler.object_filenames([source], output_dir=str(folder))
        make = functools.partial(
            self.compiler.compile,
            [source],
            output_dir=str(folder),
            macros=[("TL_ISA", isa)] if isa else [],
            include_dirs=ext.include_dirs,
            extra_postargs=flags,
        )
        return kept(Path(target), source, words, make)

    def folder(self, words: list[str]) -> Path:
        """Of the objects that are made by these words."""
        return Path("build/objects") / hashlib.sha256("\0".join(words).encode()).hexdigest()[:8]

    def compile_cuda(self, source: str) -> str:
        listed = subprocess.run([NVCC, "--list-gpu-code"], capture_output=True, text=True)
        known = [name.removeprefix("sm_") for name in listed.stdout.split()]
        archs = architectures(ASKED_ARCHS, gpus(), EVERY_ARCH, known)
        if not archs:
            wanted = ASKED_ARCHS or EVERY_ARCH
            raise CompileError(f"setup.py: THEORYLAB_CUDA_ARCHS={wanted} has none that nvcc knows")
        code = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in archs]
        code.append(f"-gencode=arch=compute_{archs[-1]},code=compute_{archs[-1]}")  # newer chips
        flags = ["-O3", "-std=c++17", "--threads", "0", "-cudart", "static", "-fmad=false"]
        flags += ["-Xcompiler", "-fPIC,-fvisibility=hidden", "-Xfatbin", "-compress-all"]
        flags += ["-Werror", "all-warnings"] if WERROR else []
        version = subprocess.run([NVCC, "--version"], capture_output=True, text=True).stdout
        words = [NVCC, *flags, *code]
        target = self.folder(words) / f"{source}.o"
        command = [*words, "-c", source, "-o", str(target)]

        def make() -> None:
            print(" ".join(command), flush=True)
            try:
                subprocess.run(command, check=True)
            except subprocess.CalledProcessError as error:  # a warning for an optional extension
                raise CompileError(f"nvcc failed on {source}: {error}") from error

        return kept(target, source, [*words, version], make)


class BuildEmulated(BuildExt):
    """``_emulated`` alone, and in place."""

    description = "build theorylab._emulated, which the tests of GPU kernels need, into this tree"

    def finalize_options(self) -> None:
        super().finalize_options()
        self.inplace, self.build_lib = True, "build/emulated"  # not where a wheel comes from
        self.extensions = [e for e in self.extensions if e.name == "theorylab._emulated"]
        if not self.extensions:
            sys.exit("setup.py: theorylab._emulated needs Linux, and no THEORYLAB_SANITIZE")

    def run(self) -> None:
        build_ext.run(self)


extensions = [
    Pybind11Extension(
        "theorylab._core",
        [path for path in sources("host/*.cpp") if path not in PARTS],
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
            cxx_std=17,
            extra_compile_args=CXX,
            extra_link_args=LINK,
        )
    )
if NVCC and sources("cuda/*.cu"):
    extensions.append(
        Pybind11Extension(
            "theorylab._cuda",
            [*sources("cuda/*.cpp"), *sources("cuda/*.cu")],
            cxx_std=17,
            extra_compile_args=WARN,
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
        "theorylab": ["*.pyi", "py.typed"],
        "theorylab.bench": ["*.toml"],
        "theorylab.report": ["*.j2"],
        "theorylab.statements": ["*/*.toml"],
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
    cmdclass={"build_ext": BuildExt, "build_emulated": BuildEmulated, "sdist": Sdist},
)
