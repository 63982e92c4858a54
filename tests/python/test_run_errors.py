# SPDX-License-Identifier: GPL-2.0-only
"""What can go wrong in a run: bad input, a run that stalls, a run that is killed."""
import os
import signal
import threading

import pandas

import heddle
from heddle import running
from support import LAUNCHER, Case, children_of, main


class RunErrorsTest(Case):
    def setUp(self):
        super().setUp()
        self.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        self.ring = heddle.Workload.collective("AllReduce", "256KiB", group="DP")

    def test_bad_input(self):
        run, fabric, ring = heddle.run, self.fabric, self.ring
        with open("there.h5", "w", encoding="utf-8"):
            pass
        for kind, words, action in (
                (heddle.UsageError, "unknown option 'pases'; the nearest is 'passes'", lambda: run(fabric, ring, pases=2)),
                (heddle.InputError, "with a unit such as Mb/s", lambda: run(fabric, ring, MIN_RATE="1parsec")),
                (heddle.InputError, "/nowhere: cannot be read", lambda: run("/nowhere", ring)),
                (heddle.InputError, "/nowhere: cannot be read", lambda: run(fabric, "/nowhere", ranks=2, launcher=LAUNCHER)),
                (heddle.InputError, "/nowhere: cannot be read", lambda: run(fabric, trace="/nowhere")),
                (heddle.UsageError, "needs traffic", lambda: run(fabric)),
                (heddle.UsageError, "Expected: a Topology, or the path", lambda: run(3, ring)),
                (heddle.UsageError, "ranks=0", lambda: run(fabric, ring, ranks=0)),
                (heddle.UsageError, "ranks='2'", lambda: run(fabric, ring, ranks="2")),
                (heddle.UsageError, "heddle.estimate() does that", lambda: run(fabric, ring, estimate=True)),
                (heddle.UsageError, "restart needs output=", lambda: run(fabric, ring, restart="auto")),
                (heddle.FileError, "there.h5: exists", lambda: run(fabric, ring, output="there.h5")),
                (heddle.FileError, "is not a directory", lambda: run(fabric, ring, output="/nowhere/x.h5")),
                (heddle.LaunchError, "nowhere: No such file", lambda: run(fabric, ring, ranks=2, launcher="nowhere")),
                (heddle.LaunchError, "mpirun failed: ", lambda: run(fabric, ring, ranks=2, launcher="mpirun --no-such-flag"))):
            self.raises(kind, words, action)
        self.assertEqual(os.listdir(), ["there.h5"])

    def test_ranks_are_bounded_by_cores(self):
        cores = os.cpu_count()
        self.assertEqual(running.launch("mpirun", 8 * cores)[-1], str(8 * cores))  # starts nothing
        words = f"processes at a time, and this machine has {cores} core"
        self.raises(heddle.UsageError, words, lambda: running.launch("mpirun", 8 * cores + 1))
        self.raises(heddle.UsageError, words, lambda: running.launch(LAUNCHER, 100000))
        self.raises(heddle.UsageError, words, lambda: running.check_processes("mpirun", 8, cores + 1))
        self.assertEqual(running.launch("srun --mpi=pmix", 100000)[-1], "100000")
        self.assertEqual(running.launch("mpirun --hostfile hosts", 100000)[-1], "100000")

    def test_a_stalled_run_has_its_result(self):
        pair = [("gpu 0", "switch 0", "100Gbps", "1us"), ("gpu 1", "switch 0", "100Gbps", "1us")]
        fabric = heddle.Topology.from_links(pair, gpus=2, switches=1)
        flow = pandas.DataFrame({"timestamp_ns": [0], "src": [0], "dst": [1], "size_bytes": [10000000]})
        with open("cut.csv", "w", encoding="utf-8") as file:
            file.write("time,event,a,b\n20us,link_down,1,2\n")
        error = self.raises(heddle.StalledError, "1 flow did not finish", lambda: heddle.run(fabric, trace=flow, failures="cut.csv"))
        self.assertIn("no route to its destination", error.message)
        self.assertEqual(error.result.flows().fct_ps.tolist(), [-1])

    def test_a_killed_run_says_so(self):
        for ranks, words in ((1, "SIGKILL"), (2, "SIGKILL")):
            def kill():
                found = self.wait_for(lambda: [child for child, line in children_of(os.getpid()).items() if "/heddle run" in line.split(" -")[0]
                                               and "mpirun" not in line], "a rank")
                os.kill(found[0], signal.SIGKILL)
            killer = threading.Thread(target=kill)
            killer.start()
            long = heddle.Workload.collective("AllReduce", "256KiB", group="DP", passes=20000)
            error = self.raises(heddle.KilledError, words, lambda ranks=ranks, long=long: heddle.run(self.fabric, long, ranks=ranks, launcher=LAUNCHER))
            self.assertEqual(error.exit_code, 137)
            killer.join()


if __name__ == "__main__":
    main()
