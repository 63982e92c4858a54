# SPDX-License-Identifier: GPL-2.0-only
"""Sizes and times as text with units, for files in which they are plain numbers."""
from __future__ import annotations

import re
from fractions import Fraction
from typing import Mapping, Union

from .errors import InputError

Size = Union[int, str]
Duration = Union[int, str]

_SIZES = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_TIMES = {"ps": Fraction(1, 1000), "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def size_in_bytes(size: Size) -> int:
    """Bytes of a number of bytes, or of a text such as "16MiB" or "1.5 GB".

    >>> size_in_bytes("16MiB"), size_in_bytes("1.5 kB"), size_in_bytes(7)
    (16777216, 1500, 7)
    >>> size_in_bytes("16Mib")
    Traceback (most recent call last):
    ...
    heddle.InputError: data size '16Mib'. Expected: a number and one of B, kB, KB, MB, GB, TB, KiB, MiB, GiB, TiB, or whole bytes (exit code 3)
    """
    return _whole(size, _SIZES, "data size", "whole bytes", "B")


def time_in_ns(time: Duration) -> int:
    """Nanoseconds of a number of them, or of a text such as "5us".

    >>> time_in_ns("0.5us"), time_in_ns(1000)
    (500, 1000)
    """
    return _whole(time, _TIMES, "time", "whole nanoseconds", None)


def _whole(value: Union[int, str], units: Mapping[str, Union[int, Fraction]], what: str, whole: str, bare: str | None) -> int:
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*([a-zA-Z]*)\s*", str(value))
    number = None
    if found and not isinstance(value, bool):
        unit = found[3] or ("" if isinstance(value, str) and bare is None else "plain")
        factor = 1 if unit == "plain" else units.get(unit)
        number = None if factor is None else Fraction(found[1] + (found[2] or "")) * factor
    if number is None or number.denominator != 1:
        raise InputError(f"{what} {value!r}. Expected: a number and one of {', '.join(units)}, or {whole}")
    return int(number)
