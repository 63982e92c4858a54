# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of fabrics and results. Only what draws imports this package: it needs matplotlib, and heddle does not."""
from ..errors import Error

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as _error:
    raise Error(f"pictures need matplotlib (Debian: apt install python3-matplotlib, and /usr/bin/python3): {_error}") from None
