# SPDX-License-Identifier: GPL-2.0-only
"""Pages as walk_guide.py reads them: blocks, and the comments before them."""

import re

COMMAND = re.compile(
    r"^([A-Z_]+=\S* )*(heddle|heddle-plot|mpirun|echo|printf|for|awk|cat|cp|rm|export|cd|h5ls|h5dump|grep|cmake|module|srun|sbatch|source|"
    r"\./bootstrap\.sh|/usr/bin/python3)( |$)")


class Block:
    """A fenced block, a hidden run, or a paragraph with figures. `first`, `end`: its lines in the page."""

    def __init__(self, kind, first, end, lines, notes):
        self.kind, self.first, self.end, self.lines, self.notes = kind, first, end, lines, notes

    def note(self, name):
        """The words after a note's name, or None."""
        for note in self.notes:
            words = note.split(None, 1)
            if words[0] == name:
                return words[1] if len(words) > 1 else ""
        return None


class Page:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.after, self.skip, self.notebook, self.blocks = None, None, None, []
        self.read()

    def read(self):
        notes, at = [], 0
        while at < len(self.lines):
            line = self.lines[at]
            if match := re.match(r"<!-- walk: page (\w+) ?(.*) -->", line):
                setattr(self, match[1], match[2] or "yes")
            elif match := re.match(r"<!-- walk: (.*) -->", line):
                notes.append(match[1])
                if match[1] == "figures":
                    end = at + 1
                    while end < len(self.lines) and self.lines[end].strip():
                        end += 1
                    self.blocks.append(Block("figures", at + 1, end, self.lines[at + 1:end], notes))
                    notes = []
            elif match := re.match(r"<!-- walk prints: (.*) -->", line):
                self.blocks.append(Block("prints", at + 1, at + 1, match[1].split(" | "), notes))
            elif line == "<!-- walk run:":
                end = self.lines.index("-->", at)
                self.blocks.append(Block("run", at + 1, end, self.lines[at + 1:end], notes))
                notes, at = [], end
            elif line.startswith("```"):
                end = self.lines.index("```", at + 1)
                self.blocks.append(self.block(line[3:], at + 1, end, notes))
                notes, at = [], end
            elif line.strip():
                notes = []
            at += 1

    def block(self, language, first, end, notes):
        lines = self.lines[first:end]
        kind = "other"
        if any(note.startswith("file ") for note in notes):
            kind = "file"
        elif language == "python":
            kind = "python"
        elif not language:
            kind = "run" if lines and COMMAND.match(lines[0]) and not lines[0].startswith("heddle:") else "output"
        return Block(kind, first, end, lines, notes)

    def write(self, changes):
        for block, lines in sorted(changes, key=lambda change: -change[0].first):
            self.lines[block.first:block.end] = lines
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines))
