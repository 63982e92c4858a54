# SPDX-License-Identifier: GPL-2.0-only
"""Workloads: built layer by layer, one collective, from the shape of a model, or files."""
from __future__ import annotations

import os
from typing import Any, Sequence, Union

from . import workfiles
from .errors import InputError, nearest
from .keywords import words
from .program import PathText, call, find_program
from .quantities import Duration, Size, size_in_bytes, time_in_ns

OPERATIONS = ("ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "BROADCAST", "REDUCE", "SENDRECV")
GROUPS = ("TP", "DP", "EP", "DP_EP")
PHASE_GROUPS = (*GROUPS, "ALL")  # ALL: all GPUs of a stage
#: A phase of a layer: the time to compute; or that, an operation and its size, and perhaps its group ("TP", "DP", "EP", "DP_EP", "ALL").
Phase = Union[Duration, Sequence[Any]]
#: Python's name -> the key of the file's first line (docs/formats/workload.md).
KEYS = {"tp": "model_parallel_NPU_group:", "ep": "ep:", "pp": "pp:", "micro_batches": "ga:", "activation": "pp_comm:", "mode": "mode:",
        "gpus": "all_gpus:"}
ONCE = "MICRO"  # the policy that runs communications one after the other, in groups of all GPUs


class Workload(os.PathLike):
    """What the GPUs of a job compute and communicate, as a file that `heddle run` reads.

    `Workload(policy, **sizes)` begins one without layers; `layer()` adds them. `policy` is the first word of the file, sizes are `tp`,
    `ep`, `pp` (GPUs of a group, stages), `micro_batches` of a pass, `activation` (size of what a stage sends to the next), `mode`
    (1: inference), and `gpus`.

    Attributes:
      name     the policy, the collective, the model or the file's name
      summary  what `heddle workload` printed of a model's step; of others it is empty

    >>> step = heddle.Workload(tp=8)
    >>> step.layer("mlp", forward=("20us", "AllReduce", "16MiB"), input_gradient="20us", weight_gradient=("20us", "AllReduce", "32MiB"))
    <heddle workload HYBRID_TRANSFORMER_FWD_IN_BCKWD: 1 layer>
    >>> print(step.text, end="")
    HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8
    1
    mlp -1 20000 ALLREDUCE 16777216 20000 NONE 0 20000 ALLREDUCE 33554432 0
    """
    def __init__(self, policy: str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD", **sizes: Any) -> None:
        self.name, self.summary = policy, ""
        self._lines: list[str] = []
        self._file: str | None = None
        self._head = policy
        for name, value in sizes.items():
            if name not in KEYS:
                raise InputError(f"a workload has no size '{name}'. Expected: {', '.join(KEYS)}{nearest(name, KEYS)}")
            if value is not None:
                self._head += f" {KEYS[name]} {size_in_bytes(value) if name == 'activation' else value}"

    def layer(self, name: str, *, forward: Phase = 0, input_gradient: Phase = 0, weight_gradient: Phase = 0,
              update: Duration = 0, policy: str | None = None) -> Workload:
        """Adds a layer, and returns the workload. Times are ns or text with a unit, sizes bytes (of the full buffer) or text with a unit.

        Each of the three phases is the time to compute, or that with an operation, its size and perhaps its group; without, the policy
        says the group: TP forward and for input gradients, DP for weight gradients (with most). `policy`: of each layer of
        HYBRID_CUSTOMIZED, its own.

        >>> heddle.Workload("MICRO").layer("a", weight_gradient=("1us", "AllRedoce", "1MiB"))
        Traceback (most recent call last):
        ...
        heddle.InputError: layer a: operation 'AllRedoce'. Expected: ALLREDUCE, ...; the nearest is 'ALLREDUCE' (exit code 3)
        """
        if self._file is not None:
            raise InputError(f"{self.name}: layers are added to a workload that was begun by Workload(policy)")
        if not name or not name.isascii() or not name.isprintable() or " " in name:
            raise InputError(f"layer {name!r}. Expected: a name of printable ASCII without blanks")
        try:
            columns = [_phase(phase) for phase in (forward, input_gradient, weight_gradient)]
            self._lines.append(" ".join([name, "-1", *columns, str(time_in_ns(update)), *([policy] if policy else [])]))
        except InputError as error:
            raise InputError(f"layer {name}: {error.message}") from None
        return self

    @classmethod
    def collective(cls, operation: str, size: Size, *, group: str = "all", passes: int = 1) -> Workload:
        """One collective, `passes` times one after the other: over all GPUs, or in each group "TP" (the GPUs of a server), "DP" (those of
        a rail), "EP" or "DP_EP". `size` is of the full buffer, as in nccl-tests.

        >>> heddle.Workload.collective("all-reduce", "16MiB", group="DP")
        <heddle workload ALLREDUCE of 16777216 bytes, DP: 1 communication>
        """
        what, size_bytes = operation_name(operation), size_in_bytes(size)
        if passes < 1:
            raise InputError(f"passes={passes}. Expected: 1 or more")
        if group != "all" and group not in GROUPS:
            raise InputError(f"group {group!r}. Expected: all, {', '.join(GROUPS)}{nearest(group, GROUPS)}")
        new = cls(ONCE)
        if group == "all":
            for _ in range(passes):
                new.layer("all", weight_gradient=(0, what, size_bytes))
        else:
            new._head, new._lines = "", [f"{passes} {what} {size_bytes} {group}"]
        new.name = f"{what} of {size_bytes} bytes, {group}"
        return new

    @classmethod
    def gpt(cls, *, gpus: int, program: PathText | None = None, **shape: Any) -> Workload:
        """A training step of a dense transformer; keywords are the flags of `heddle workload --help`.

        >>> heddle.Workload.gpt(gpus=16, model="gpt-7b", layers=2, scale=True, tp=8)
        <heddle workload gpt: 19 layers>
        """
        return cls._generate("gpt", gpus, program, shape)

    @classmethod
    def moe(cls, *, gpus: int, program: PathText | None = None, **shape: Any) -> Workload:
        """A training step of a mixture of experts; keywords are the flags of `heddle workload --help`."""
        return cls._generate("moe", gpus, program, shape)

    @classmethod
    def _generate(cls, family: str, gpus: int, program: PathText | None, shape: dict[str, Any]) -> Workload:
        path = find_program(program)
        done = call([path, "workload", family, *words(path, ("workload",), {"gpus": gpus, **shape})])
        new = cls._of_file(workfiles.keep(family, done.output), family)
        new.summary = done.errors
        return new

    @classmethod
    def read(cls, path: PathText) -> Workload:
        """A file that is there, in any of the forms of docs/formats/workload.md."""
        if not os.path.isfile(path):
            raise InputError(f"{os.fspath(path)}: no such file")
        return cls._of_file(os.path.abspath(path), os.path.basename(path))

    @classmethod
    def _of_file(cls, path: str, name: str) -> Workload:
        new = cls()
        new._file, new.name = path, name
        return new

    @property
    def text(self) -> str:
        """The file's content."""
        if self._file is not None:
            with open(self._file, encoding="utf-8") as file:
                return file.read()
        head = [self._head, str(len(self._lines))] if self._head else []
        return "\n".join([*head, *self._lines, ""])

    @property
    def path(self) -> str:
        """The file's path; of a workload that is built, it is a new one after each further layer."""
        if self._file is None and not self._lines:
            raise InputError(f"{self.name}: a workload without layers")
        return self._file or workfiles.keep(self.name, self.text)

    def save(self, path: PathText) -> Workload:
        """Writes it to a file, which must not exist yet, and returns that."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.text)
        return Workload.read(path)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        lines = self.text.split("\n")
        count = int(lines[1]) if len(lines) > 1 and lines[1].strip().isdigit() else len([line for line in lines if line.strip()])
        what = "layer" if len(lines) > 1 and lines[1].strip().isdigit() else "communication"
        return f"<heddle workload {self.name}: {count} {what}{'' if count == 1 else 's'}>"


def operation_name(operation: str) -> str:
    """The file's name of a collective that may be written "AllReduce", "all-reduce", "all_reduce", ..."""
    name = operation.replace("-", "").replace("_", "").upper()
    if name not in OPERATIONS:
        raise InputError(f"operation {operation!r}. Expected: {', '.join(OPERATIONS)}{nearest(name, OPERATIONS)}")
    return name


def _phase(phase: Phase) -> str:
    """Three columns: time, operation, bytes."""
    parts = [phase] if isinstance(phase, (int, str)) else list(phase)
    if len(parts) not in (1, 3, 4):
        raise InputError(f"phase {phase!r}. Expected: a time, or a time, an operation and a size, and perhaps a group")
    if len(parts) == 1 or parts[1] is None:
        return f"{time_in_ns(parts[0])} NONE 0"
    operation, group = operation_name(parts[1]), ""
    if len(parts) == 4 and parts[3] is not None:
        if parts[3] not in PHASE_GROUPS:
            raise InputError(f"group {parts[3]!r}. Expected: {', '.join(PHASE_GROUPS)}{nearest(str(parts[3]), PHASE_GROUPS)}")
        group = f"_{parts[3]}"
    return f"{time_in_ns(parts[0])} {operation}{group} {size_in_bytes(parts[2])}"
