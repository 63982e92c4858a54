# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep refuses, the names of its results, and its interrupt, which ends all runs."""
import glob
import os
import signal
import subprocess

import heddle
from support import Case, alive, children_of, main

LONG = """
import heddle
fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
ring = heddle.Workload.collective("AllReduce", "16MiB", group="DP")
try:
    heddle.sweep(fabric, ring, vary={"passes": [5000, 5001, 5002]}, flush="200ms", jobs=2)
except KeyboardInterrupt:
    print("interrupted")
"""


class SweepCallsTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        cls.ring = heddle.Workload.collective("AllReduce", "64KiB", group="DP")

    def test_results_that_stay_have_names(self):
        table = heddle.sweep(self.fabric, self.ring, vary={"passes": [1, 2]}, output="kept")
        self.assertEqual(sorted(os.listdir("kept")), ["passes-1.h5", "passes-2.h5"])
        self.assertEqual(table.result[1].path, os.path.abspath("kept/passes-2.h5"))
        again = lambda **more: heddle.sweep(self.fabric, self.ring, vary={"passes": [2, 3]}, output="kept", **more)  # noqa: E731
        self.raises(heddle.FileError, "passes-2.h5: exists", again)
        self.assertEqual(sorted(os.listdir("kept")), ["passes-1.h5", "passes-2.h5"])
        self.assertEqual(again(force=True).state.tolist(), ["done", "done"])
        same = {"workload": {"a b": self.ring, "a/b": self.ring}}
        self.raises(heddle.UsageError, "two runs are named a-b", lambda: heddle.sweep(self.fabric, vary=same, output="other"))

    def test_what_is_wrong_with_the_call_is_said_before_a_run(self):
        events = []
        for vary, said in (({"pases": [1]}, "the nearest is 'passes'"), ({}, "Expected: keywords"), ({"passes": 2}, "a list of values"),
                           ({"passes": []}, "a list of values"), ({"seed": [1], ("seed", "passes"): [(1, 2)]}, "'seed' is given twice"),
                           ({("seed", "passes"): [(1, 2), (1,)]}, "Expected: 2 values"), ({"workload": [self.ring]}, "'workload' is given twice")):
            self.raises(heddle.UsageError, said, lambda: heddle.sweep(self.fabric, self.ring, vary=vary, progress=events.append))
        self.raises(heddle.UsageError, "no topology", lambda: heddle.sweep(vary={"passes": [1]}))
        self.raises(heddle.UsageError, "jobs=0", lambda: heddle.sweep(self.fabric, self.ring, vary={"passes": [1]}, jobs=0))
        self.assertEqual(events, [])
        heddle.sweep(self.fabric, self.ring, vary={"passes": [1, 2]}, progress=events.append)
        self.assertEqual([(event["done"], event["runs"]) for event in events][-1], (2, 2))

    def test_an_interrupt_ends_all_runs(self):
        os.makedirs("tmp")
        python = subprocess.Popen(["/usr/bin/python3", "-c", LONG], env={**os.environ, "TMPDIR": os.path.abspath("tmp")},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (python.kill(), python.communicate()))
        self.wait_for(lambda: python.poll() is not None or len(glob.glob("tmp/*/*/*.part.rank0")) == 2, "two runs")
        runs = children_of(python.pid)
        self.assertEqual(sum(line.startswith(heddle.find_program()) for line in runs.values()), 2)
        python.send_signal(signal.SIGINT)
        self.assertEqual(python.communicate(timeout=30), ("interrupted\n", ""))
        self.assertEqual([process for process in runs if alive(process)], [])
        self.assertEqual(os.listdir("tmp"), [])


if __name__ == "__main__":
    main()
