# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep refuses, results that stay and are gone on with, and its interrupt, which ends all runs."""
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
        same = {"workload": {"a b": self.ring, "a/b": self.ring}}
        self.raises(heddle.UsageError, "two runs are named a-b", lambda: heddle.sweep(self.fabric, vary=same, output="other"))

    def test_a_sweep_goes_on_where_an_earlier_one_ended(self):
        first = heddle.sweep(self.fabric, self.ring, vary={"passes": [2]}, output="kept")
        written = os.stat("kept/passes-2.h5")
        events = []
        table = heddle.sweep(self.fabric, self.ring, vary={"passes": [1, 2]}, output="kept", jobs=2, progress=events.append)
        self.assertEqual((table.passes.tolist(), table.state.tolist()), ([1, 2], ["done", "done"]))
        after = os.stat("kept/passes-2.h5")
        self.assertEqual((after.st_mtime_ns, after.st_ino), (written.st_mtime_ns, written.st_ino))
        self.assertIn("complete already", table.result[1].summary)
        self.assertEqual(table.iloc[1, 2:-1].fillna(-1).tolist(), first.iloc[0, 2:-1].fillna(-1).tolist())
        self.assertEqual(table.result[0].attributes["flows_digest"], heddle.run(self.fabric, self.ring).attributes["flows_digest"])
        self.assertEqual([(event["done"], event["runs"]) for event in events], [(1, 2), (2, 2)])
        # The folder has results of other settings: nothing is run, and nothing is lost.
        other = lambda **more: heddle.sweep(self.fabric, self.ring, vary={"passes": [3, 2]}, output="kept", seed=5, **more)  # noqa: E731
        self.raises(heddle.FileError, "passes-2.h5: is the complete result of another run: it has seed 1; this run has 5", other)
        self.assertEqual(sorted(os.listdir("kept")), ["passes-1.h5", "passes-2.h5"])
        self.assertEqual([result.attributes["seed"] for result in other(force=True).result], [5, 5])
        with open("kept/passes-1.h5", "wb") as file:
            file.write(b"no result")
        self.raises(heddle.FileError, "passes-1.h5: exists", lambda: heddle.sweep(self.fabric, self.ring, vary={"passes": [1]}, output="kept"))

    def test_saved_runs_go_on_from_their_checkpoint(self):
        long = heddle.Workload.collective("AllReduce", "1MiB", group="DP")
        call = lambda passes=(1, 1500), **more: heddle.sweep(  # noqa: E731
            self.fabric, long, vary={"passes": list(passes)}, output="kept", jobs=1, **more)

        def interrupt(event):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            call(progress=interrupt)
        self.assertIn("passes-1.h5", os.listdir("kept"))
        self.assertNotIn("passes-1500.h5", os.listdir("kept"))
        saved = call(checkpoint_at="10ms", max_wall="1s")
        self.assertEqual(saved.state.tolist(), ["done", "saved"])
        self.assertIn("saved in", saved.error[1])
        self.assertIn("passes-1500.h5.ckpt", os.listdir("kept"))
        self.raises(heddle.InputError, "passes-1500.h5.ckpt: was saved with", lambda: call([1500], CC_MODE=3, force=True))
        done = call()
        self.assertEqual(done.state.tolist(), ["done", "done"])
        self.assertEqual(done.restarts.tolist(), [0, 1])
        self.assertEqual(sorted(os.listdir("kept")), ["passes-1.h5", "passes-1500.h5"])
        whole = heddle.run(self.fabric, long, passes=1500)
        self.assertEqual(done.result[1].attributes["flows_digest"], whole.attributes["flows_digest"])

    def test_stalled_runs_stay_stalled_and_failed_ones_are_tried_again(self):
        links = [(f"gpu {i}", "switch 0", "100Gbps", "500ns") for i in range(2)]
        pair = heddle.Topology.from_links(links, gpus=2, switches=1)
        cut = {"failures": {"cut": "cut.csv", "lost": "later.csv"}}
        for name in ("cut.csv", "later.csv"):
            with open(name, "w", encoding="utf-8") as file:
                file.write("time,event,a,b\n0s,link_down,0,2\n")
            table = heddle.sweep(pair, heddle.Workload.collective("AllReduce", "64KiB"), vary=cut, output="kept")
            self.assertEqual(table.state.tolist(), ["stalled", "failed" if name == "cut.csv" else "stalled"])
            self.assertLess(table.finished_flows[0], table.flows[0])
        self.assertIn("complete already", table.error[0])

    def test_engines_that_cannot_be_saved_run_once(self):
        call = lambda: heddle.sweep(self.fabric, self.ring, vary={"engine": ["ns3"]}, output="kept")  # noqa: E731
        self.assertEqual(call().state.tolist(), ["done"])
        self.raises(heddle.FileError, "engine-ns3.h5: exists", call)

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
