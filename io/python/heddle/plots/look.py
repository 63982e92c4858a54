# SPDX-License-Identifier: GPL-2.0-only
"""What all pictures share: colours, axes, texts of sizes, times and rates."""
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#7F7F7F")
#: Texts and frames; lines in the background; surfaces.
INK, FAINT, PAPER = "#333333", "#B8B8B8", "#F0F0F0"
#: Sizes of texts [pt].
SMALL, NORMAL = 8, 9

TIMES = ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1, "ps"))


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or new ones of this size [inch] in a figure of their own."""
    if ax is not None:
        return ax
    from matplotlib import pyplot
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def dress(ax: Axes, grid: str = "both") -> None:
    """Takes the frame's upper and right lines away, and draws a faint grid of `grid`: x, y or both."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, axis=grid, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def time_unit(longest_ps: float) -> tuple[float, str]:
    """The unit for times up to this: ps of it, and its name.

    >>> time_unit(3.2e7)
    (1000000.0, 'µs')
    """
    return next(((float(factor), name) for factor, name in TIMES if longest_ps >= 2 * factor), (1.0, "ps"))


def size_text(size: float) -> str:
    """Bytes with their unit.

    >>> size_text(65536), size_text(1500), size_text(3 * 2**29)
    ('64 KiB', '1.46 KiB', '1.5 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}" if size < 1000 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


def rate_text(bits: float) -> str:
    """A rate in bit/s with its unit.

    >>> rate_text(400e9), rate_text(2880e9), rate_text(2.5e6)
    ('400 Gbit/s', '2.88 Tbit/s', '2.5 Mbit/s')
    """
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if bits >= factor:
            return f"{bits / factor:.4g} {unit}bit/s"
    return f"{bits:.4g} bit/s"


def count_text(count: int, one: str, several: str = "") -> str:
    """A number of things.

    >>> count_text(1, "switch", "switches"), count_text(1200, "GPU")
    ('1 switch', '1,200 GPUs')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def ranges_text(numbers: Sequence[int], most: int = 2) -> str:
    """Sorted numbers as ranges, at most so many of them.

    >>> ranges_text([0, 1, 2, 8]), ranges_text([1, 3, 5, 7])
    ('0–2, 8', '1, 3, …')
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    words = [str(a) if a == b else f"{a}–{b}" for a, b in found]
    return ", ".join(words[:most] + (["…"] if len(words) > most else []))
