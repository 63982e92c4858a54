# SPDX-License-Identifier: GPL-2.0-only
"""Fabrics: families by name, links by hand, or files."""
from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

from . import workfiles
from .errors import InputError
from .program import PathText, call, find_program

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Node = Union[int, str]
_NODE = re.compile(r"(gpu|nvswitch|switch)\s*(\d+)", re.IGNORECASE)


class Topology(os.PathLike):
    """A fabric as a file that `heddle run` reads.

    `Topology(family, **flags)` makes one of the families that `heddle topo --help` lists; keywords are the flags that
    `heddle topo FAMILY --help` lists, without their dashes. Numbers of several dimensions may be a list. `program` is the program to use.

    Attributes:
      path     the file's path
      name     the family, or the file's name
      summary  what `heddle topo` prints of it: nodes, links, bandwidth below and above each tier

    >>> fabric = heddle.Topology("spectrum-x", gpus=32, oversubscription=1, gpu_type="A100", bandwidth="100Gbps")
    >>> fabric.gpus, fabric.nvswitches, fabric.switches
    (32, 4, 9)
    >>> heddle.Topology("torus", dimensions=[4, 4], gps=1).gpus
    16
    >>> heddle.Topology("spectrum", gpus=32)
    Traceback (most recent call last):
    ...
    heddle.InputError: unknown template "spectrum". Expected: Spectrum-X, ...
    """
    def __init__(self, family: str, *, program: PathText | None = None, **flags: Any) -> None:
        if not re.fullmatch(r"[A-Za-z][\w+-]*", family) or family in ("show", "route", "help"):
            raise InputError(f"no fabric has the name {family!r} (heddle topo --help lists them; Topology.read takes files)")
        words = [find_program(program), "topo", family]
        for name, value in flags.items():
            words += _flag(name, value)
        done = call([*words, "-o", "-"])
        self._take(workfiles.keep(family, done.output), family)
        self.summary = done.errors

    def _take(self, path: str, name: str) -> None:
        self.path = path
        self.name = name
        self.summary = ""

    @classmethod
    def read(cls, path: PathText) -> Topology:
        """A file that is there: SimAI's, ASTRA-SIM's network, DOT of ORCS, or an InfiniBand dump.

        >>> heddle.Topology.read("/nowhere.txt")
        Traceback (most recent call last):
        ...
        heddle.InputError: /nowhere.txt: no such file (exit code 3)
        """
        if not os.path.isfile(path):
            raise InputError(f"{os.fspath(path)}: no such file")
        new = cls.__new__(cls)
        new._take(os.path.abspath(path), os.path.basename(path))
        return new

    @classmethod
    def from_links(cls, links: Iterable[Sequence[Any]], *, gpus: int, switches: int = 0, nvswitches: int = 0, gpus_per_server: int = 1,
                   gpu_type: str = "H100", names: Mapping[Any, str] | None = None, program: PathText | None = None) -> Topology:
        """A fabric by hand. A link is (end, end, rate, delay) or, with the probability that it loses a packet, (end, end, rate, delay,
        error rate). An end is "gpu 0", "nvswitch 0" or "switch 0", or the node's number: GPUs are counted first, then NVSwitches, then
        switches. `names` has names for ends, each one word, as in {"switch 0": "tor-a1"}: messages, tables and results have them. The
        program reads the fabric once, so that mistakes are found here.

        >>> star = heddle.Topology.from_links([(f"gpu {i}", "switch 0", "400Gbps", "500ns") for i in range(4)], gpus=4, switches=1)
        >>> star.links().values.tolist()[0]
        [0, 4, '400Gbps', '500ns', '0']
        """
        first = {"gpu": 0, "nvswitch": gpus, "switch": gpus + nvswitches}
        counts = {"gpu": gpus, "nvswitch": nvswitches, "switch": switches}
        lines = []
        for link in links:
            if len(link) not in (4, 5):
                raise InputError(f"link {tuple(link)!r}. Expected: two ends, rate, delay, and perhaps an error rate")
            ends = [_number(end, first, counts) for end in link[:2]]
            lines.append(" ".join(map(str, [*ends, *link[2:], *([0] if len(link) == 4 else [])])))
        count = len(lines)
        if names:
            lines += ["names", *(f"{_number(end, first, counts)} {name}" for end, name in names.items())]
        ids = range(gpus, gpus + nvswitches + switches)
        head = f"{gpus + nvswitches + switches} {gpus_per_server} {nvswitches} {switches} {count} {gpu_type}"
        new = cls.__new__(cls)
        new._take(workfiles.keep("links", "\n".join([head, " ".join(map(str, ids)), *lines, ""])), "links")
        new.summary = new.show(program=program)
        return new

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<heddle topology {self.name}: {self.path}>"

    @property
    def text(self) -> str:
        """The file's content."""
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def show(self, *, program: PathText | None = None) -> str:
        """What `heddle topo show` prints of it."""
        return call([find_program(program), "topo", "show", self.path]).output

    def save(self, path: PathText) -> Topology:
        """Writes it to a file, which must not exist yet, and returns that."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.text)
        return Topology.read(path)

    def _words(self, text: str) -> list[str]:
        words = text.split()
        if len(words) < 6 or not all(word.isdigit() for word in words[:5]):
            raise InputError(f"{self.path}: not in SimAI's format, which is the only one whose links Python reads")
        return words

    @property
    def _counts(self) -> tuple[int, int, int]:
        with open(self.path, encoding="utf-8") as file:
            nodes, _, nvswitches, switches = map(int, self._words(file.read(4096))[:4])
        return nodes - nvswitches - switches, nvswitches, switches

    @property
    def gpus(self) -> int:
        """How many GPUs it has."""
        return self._counts[0]

    @property
    def nvswitches(self) -> int:
        """How many NVSwitches it has."""
        return self._counts[1]

    @property
    def switches(self) -> int:
        """How many other switches it has."""
        return self._counts[2]

    def plot(self, ax: Axes | None = None, *, each: bool | None = None) -> Axes:
        """Draws the fabric into `ax`, or into new axes, and returns them: servers, switches by tier, and the links between; switches
        that are linked to each other in a grid or on a circle. Needs matplotlib.

        Small fabrics have a line for each link, in the colour of its rail. In larger ones servers or switches with the same neighbours
        are one box, and their links a bundle whose width grows with its rate. `each` chooses: True each link, False bundles.

        >>> heddle.Topology("spectrum-x", gpus=1024, oversubscription=1).plot().get_title(loc="left")
        'spectrum-x: 1,024 GPUs, 80 switches'
        """
        from .plots.drawing import draw
        from .plots.fabric import of_topology
        return draw(of_topology(self), ax, each)

    def links(self) -> pandas.DataFrame:
        """Its links, in the order of the file: ends as numbers of nodes, rate and delay as their texts, error rate."""
        import pandas
        words = self._words(self.text)
        rows = words[6 + int(words[2]) + int(words[3]):][:5 * int(words[4])]  # names may follow
        frame = pandas.DataFrame([rows[at:at + 5] for at in range(0, len(rows), 5)], columns=["a", "b", "rate", "delay", "error_rate"])
        return frame.astype({"a": int, "b": int})


def _flag(name: str, value: Any) -> list[str]:
    """A flag of `heddle topo`; one dash or two are the same to it."""
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{name}"]
    if isinstance(value, (list, tuple)):
        value = ("x" if all(isinstance(one, int) for one in value) else ",").join(map(str, value))
    return [f"--{name}", str(value)]


def _number(end: Node, first: dict[str, int], counts: dict[str, int]) -> int:
    if isinstance(end, int) and 0 <= end < sum(counts.values()):
        return end
    found = _NODE.fullmatch(end.strip()) if isinstance(end, str) else None
    kind = found[1].lower() if found else ""
    if not found or int(found[2]) >= counts[kind]:
        there = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise InputError(f"end of a link {end!r}. Expected: a node such as 'gpu 0'; there are {there}")
    return first[kind] + int(found[2])
