# SPDX-License-Identifier: GPL-2.0-only
"""What ends with what: a run with its Python, all of a session with its first process, a run with an error of its observer."""
import os
import signal
import subprocess

import heddle
from heddle.process import members
from long_run import LongRunCase
from support import alive, children_of, main


class EndingsTest(LongRunCase):
    def test_a_killed_python_takes_the_run_with_it(self):
        python, run = self.start(2)
        python.kill()
        self.wait_for(lambda: not any(alive(process) for process in run), "the end of the run")

    def test_a_stubborn_program_is_killed(self):
        program = self.fake("trap '' INT TERM; (trap '' INT TERM; while :; do sleep 1; done) & while :; do sleep 1; done")
        script = "import heddle, heddle.process\nheddle.process.PATIENCE = 0.3\ntry:\n  heddle.command(program='" + program + "')\n"
        python = subprocess.Popen(["/usr/bin/python3", "-c", script + "except KeyboardInterrupt:\n  print('interrupted')"],
                                  env=self.environment, stdout=subprocess.PIPE, text=True)
        run = self.wait_for(lambda: [one for one, line in children_of(python.pid).items() if "sleep" in line] and list(children_of(python.pid)),
                            "its children")
        self.assertGreaterEqual(len(run), 3)
        python.send_signal(signal.SIGINT)
        self.assertEqual(python.communicate(timeout=30)[0], "interrupted\n")
        self.assertEqual([process for process in run if alive(process)], [])

    def test_an_error_of_the_progress_function_ends_the_run(self):
        def fails(event):
            raise ValueError(event["event"])
        ring = heddle.Workload.collective("AllReduce", "16MiB", group="DP")
        with self.assertRaisesRegex(ValueError, "start"):
            heddle.run(heddle.Topology("spectrum-x", gpus=16, oversubscription=1), ring, passes=5000, progress=fails)
        self.assertEqual(children_of(os.getpid()), {})

    def test_members_of_a_session(self):
        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.assertEqual(members(child.pid), [child.pid])
        child.kill()
        child.wait()
        self.assertEqual(members(child.pid), [])


if __name__ == "__main__":
    main()
