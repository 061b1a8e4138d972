"""``theorylab bench``: its options; its work is imported when it is done."""

from typing import Annotated

import typer

from theorylab.commands.options import Json, Options


class Bench(Options):
    """Time the kernels on this machine: on its processor, or with --gpu on its GPU."""

    kept = "a table that was printed is complete"

    kernel: Annotated[
        str | None, typer.Argument(metavar="KERNEL", help="One kernel; all if omitted.")
    ] = None
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, few repeats.")] = False
    gpu: Annotated[bool, typer.Option("--gpu", help="Check and time them on a GPU.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="--gpu, tiny, emulated.")] = False
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.bench.work import bench

        return bench(self)
