# SPDX-License-Identifier: GPL-2.0-only
"""The picture of a fabric, small ones link by link, large ones as bundles."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UsageError
from .direct import draw_direct
from .fabric import Fabric
from .folding import Folded, folded, unfolded
from .hubs import Hubs, is_direct
from .look import NORMAL, axes_of
from .tiers import Paint, draw_tiers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What a picture that has each link can show.
MOST_GPUS, MOST_IN_SERVER, MOST_SWITCHES, MOST_LINKS = 128, 16, 40, 700
REFUSED_LINKS = 10_000


def fits(fabric: Fabric) -> bool:
    """Whether each link can be seen."""
    if is_direct(fabric):
        return not Hubs(fabric).bundled
    rows = [int((fabric.level == level).sum()) for level in set(fabric.level.tolist()) if level > 0]
    links = int((~fabric.scale_up).sum())
    return (fabric.gpus <= MOST_GPUS and fabric.per_server <= MOST_IN_SERVER and max(rows, default=0) <= MOST_SWITCHES
            and links <= MOST_LINKS)


def draw(fabric: Fabric, ax: Axes | None, whole: bool | None, paint: Paint = None) -> Axes:
    """The fabric in the axes, or in new ones of a height for its tiers."""
    links = int((~fabric.scale_up).sum())
    if whole and links > REFUSED_LINKS:
        raise UsageError(f"each=True: {links:,} links are more than a picture shows. Expected: at most {REFUSED_LINKS:,}")
    if is_direct(fabric):
        ax = axes_of(ax, 8.0, 5.0)
        draw_direct(ax, Hubs(fabric, whole), paint)
    else:
        whole = fits(fabric) if whole is None else whole
        drawn: Folded = unfolded(fabric) if whole else folded(fabric)
        ax = axes_of(ax, 9.5, 1.0 + 1.25 * len(drawn.levels))
        draw_tiers(ax, drawn, whole, paint)
    ax.set_title(fabric.title, size=NORMAL + 1, loc="left")
    return ax
