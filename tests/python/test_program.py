# SPDX-License-Identifier: GPL-2.0-only
"""Where the program is looked for, and that what it prints arrives whole."""
import os
import shutil
import subprocess
import sys
from unittest import mock

import heddle
from support import SOURCE, Case, main

SHOW = "import heddle; print(heddle.find_program())"


class ProgramTest(Case):
    def found(self, package, **environment):
        """What find_program() says in a fresh Python, with nothing of this one's environment."""
        done = subprocess.run(["/usr/bin/python3", "-B", "-c", SHOW], env={"PYTHONPATH": package, "PATH": "/usr/bin:/bin", **environment},
                              capture_output=True, text=True, check=False)
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1]

    def test_order(self):
        package = os.path.join(self.folder, "prefix/share/heddle/python")
        shutil.copytree(os.path.join(SOURCE, "io/python/heddle"), os.path.join(package, "heddle"))
        self.assertIn("was not found: not beside this package, not in $PATH", self.found(package))
        in_path = self.fake("true", "elsewhere/heddle")
        path = "/usr/bin:/bin:" + os.path.dirname(in_path)
        self.assertEqual(self.found(package, PATH=path), in_path)
        installed = self.fake("true", "prefix/bin/heddle")
        self.assertEqual(self.found(package, PATH=path), installed)
        other = self.fake("true", "other")
        self.assertEqual(self.found(package, PATH=path, HEDDLE=other), other)
        self.assertIn("/nowhere ($HEDDLE): no program", self.found(package, PATH=path, HEDDLE="/nowhere"))
        with mock.patch.dict(os.environ, HEDDLE=other):
            self.assertEqual(heddle.find_program(in_path), in_path)

    def test_inside_of_a_wheel(self):
        package = os.path.join(self.folder, "site-packages")
        shutil.copytree(os.path.join(SOURCE, "io/python/heddle"), os.path.join(package, "heddle"))
        inside = self.fake("true", "site-packages/heddle/bin/heddle")
        self.assertEqual(self.found(package, PATH="/usr/bin:/bin:" + os.path.dirname(self.fake("true", "elsewhere/heddle"))), inside)

    def test_of_the_same_sources(self):
        package = os.path.join(self.folder, "tree/io/python")
        shutil.copytree(os.path.join(SOURCE, "io/python/heddle"), os.path.join(package, "heddle"))
        built = self.fake("true", "tree/build/release/heddle")
        self.assertEqual(self.found(package), built)

    def test_no_program(self):
        with open("text", "w", encoding="utf-8"):
            pass
        self.raises(heddle.LaunchError, "text (program=): no program", lambda: heddle.command(program="text"))

    def test_long_outputs_do_not_block(self):
        program = self.fake("i=0; while [ $i -lt 20000 ]; do echo line $i; echo error $i >&2; i=$((i + 1)); done")
        self.assertEqual(heddle.command(program=program).count("\n"), 20000)

    def test_a_child_that_keeps_the_output_open_does_not_hold_up(self):
        self.assertEqual(heddle.command(program=self.fake("echo done; sleep 60 & exit 0")), "done\n")

    def test_words_are_no_shell(self):
        self.assertEqual(heddle.command("a b", "$(id)", 3, program=self.fake("printf '%s|' \"$@\"")), "a b|$(id)|3|")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
