# SPDX-License-Identifier: GPL-2.0-only
"""An interrupted run ends with all its processes and leaves no file; what can be gone on with stays."""
import os
import signal

from support import alive, main
from long_run import LongRunCase


class InterruptTest(LongRunCase):
    def interrupted(self, python, run):
        python.send_signal(signal.SIGINT)  # to Python alone, as a notebook's kernel gets it
        output, errors = python.communicate(timeout=30)
        self.assertEqual((output, errors), ("interrupted\n", ""))
        self.assertEqual([process for process in run if alive(process)], [])
        self.assertEqual(os.listdir("tmp"), [])

    def test_one_process(self):
        self.interrupted(*self.start(1))

    def test_two_ranks(self):
        before = set(os.listdir("/dev/shm"))
        python, run = self.start(2)
        mine = set(os.listdir("/dev/shm")) - before
        self.interrupted(python, run)
        self.assertEqual(mine & set(os.listdir("/dev/shm")), set())

    def test_a_named_result_leaves_no_parts(self):
        with open("out/r.h5.part.old", "w", encoding="utf-8"):
            pass
        self.interrupted(*self.start(1, "output='out/r.h5', force=True"))
        self.assertEqual(os.listdir("out"), ["r.h5.part.old"])

    def test_what_can_be_gone_on_with_stays(self):
        self.interrupted(*self.start(1, "output='out/r.h5', restart='auto'"))
        self.assertIn("r.h5.part.rank0", os.listdir("out"))


if __name__ == "__main__":
    main()
