# SPDX-License-Identifier: GPL-2.0-only
"""Each exit code is an exception with the program's message; what launchers print is none of it."""
import os
import re
from unittest import mock

import heddle
from heddle import errors, libraries
from support import SOURCE, Case, main


class ErrorsTest(Case):
    def test_every_exit_code_of_the_page_has_a_class(self):
        with open(os.path.join(SOURCE, "docs/exit-codes.md"), encoding="utf-8") as file:
            codes = {int(code) for code in re.findall(r"^\| (\d+) \|", file.read(), re.MULTILINE)}
        self.assertGreater(len(codes), 8)
        self.assertEqual(codes - {0}, set(errors.BY_CODE))
        for code in codes - {0, 1}:
            program = self.fake(f"echo 'heddle: note: not this' >&2; echo 'heddle: what is wrong' >&2; exit {code}")
            error = self.raises(errors.BY_CODE[code], f"what is wrong (exit code {code})", lambda: heddle.command("run", program=program))
            self.assertEqual((error.exit_code, error.message), (code, "what is wrong"))
            self.assertEqual(error.command, [program, "run"])
            self.assertIn("not this", error.output)

    def test_different_is_of_compare_only(self):
        program = self.fake("echo 'heddle: oh' >&2; exit 1")
        self.raises(heddle.DifferentError, "oh", lambda: heddle.command("compare", "a", "b", program=program))
        self.raises(heddle.LaunchError, "oh", lambda: heddle.command("run", program=program))

    def test_a_signal_is_named(self):
        error = self.raises(heddle.KilledError, "killed by SIGKILL", lambda: heddle.command(program=self.fake("kill -9 $$")))
        self.assertEqual(error.exit_code, 137)
        self.raises(heddle.KilledError, "killed by SIGKILL", lambda: heddle.command(program=self.fake("exit 137")))  # as mpirun says it

    def test_what_launchers_say_is_left_out(self):
        self.fake("""
          echo 'heddle: 1 flow did not finish: no way' >&2
          echo '  GPU 0 -> GPU 8' >&2
          echo '--------------------------------------------------------------------------' >&2
          echo 'MPI_ABORT was invoked on rank 0' >&2; exit 4""")
        error = self.raises(heddle.StalledError, "no way", lambda: heddle.command(program=self.folder + "/heddle"))
        self.assertEqual(error.message, "1 flow did not finish: no way\n  GPU 0 -> GPU 8")
        self.raises(heddle.LaunchError, "failed: not enough slots", lambda: heddle.command(program=self.fake("echo not enough slots >&2; exit 1")))
        self.raises(heddle.LaunchError, "it printed nothing", lambda: heddle.command(program=self.fake("exit 3")))

    def test_what_the_machine_lacks(self):
        program = self.fake("""echo "$0: error while loading shared libraries: libmpi.so.40: cannot open shared object file: No such file" >&2
          exit 127""")
        missing = f"{program} needs libmpi.so.40, which this machine lacks"
        self.raises(heddle.LaunchError, missing + " (exit code 127)", lambda: heddle.command(program=program))
        with open("needs.txt", "w", encoding="utf-8") as file:
            file.write("# A system 12\nlibmpi.so.40 libopenmpi3\nmpirun openmpi-bin\nlibown.so\n")
        with mock.patch.object(libraries, "LIST", "needs.txt"):
            self.raises(heddle.LaunchError, missing + ". On A system 12: apt install libopenmpi3 openmpi-bin (exit", lambda: heddle.command(program=program))
            with mock.patch.dict(os.environ, PATH="/nowhere"):
                run = lambda launcher: heddle.run("t", "w", ranks=2, launcher=launcher, program=program)
                self.raises(heddle.LaunchError, "mpirun: No such file or directory in $PATH. On A system 12: apt install", lambda: run("mpirun"))
                error = self.raises(heddle.LaunchError, "srun: No such file or directory in $PATH", lambda: run("srun"))
                self.assertNotIn("apt", str(error))

    def test_all_are_errors_of_this_package(self):
        for kind in errors.BY_CODE.values():
            self.assertTrue(issubclass(kind, heddle.ProgramError) and issubclass(kind, heddle.Error))
            self.assertIs(getattr(heddle, kind.__name__), kind)
            self.assertEqual(kind.__module__, "heddle")


if __name__ == "__main__":
    main()
