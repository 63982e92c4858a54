# SPDX-License-Identifier: GPL-2.0-only
"""Files that the program reads and nobody else needs: they are in one folder, which goes when Python ends."""
from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import tempfile

_folder: tuple[int, str] | None = None  # the process that made it, and its path


def folder() -> str:
    """The folder of this process, in $TMPDIR or /tmp. Ranks on several machines need one that all of them see."""
    global _folder
    if _folder is None or _folder[0] != os.getpid():
        _folder = (os.getpid(), tempfile.mkdtemp(prefix="heddle-"))
        atexit.register(_remove, *_folder)
    return _folder[1]


def _remove(process: int, path: str) -> None:
    if process == os.getpid():  # not in a fork, which inherits what is registered
        shutil.rmtree(path, ignore_errors=True)


def keep(name: str, content: str, ending: str = ".txt") -> str:
    """Writes a file, and returns its path. Its name has a sum of its content, so that equal contents are one file."""
    stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-")[:80] or "file"
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    path = os.path.join(folder(), f"{stem}-{digest}{ending}")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return path
