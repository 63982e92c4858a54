# SPDX-License-Identifier: GPL-2.0-only
"""A run from Python has the result of the command; its warnings and errors are Python's."""
import gc
import os
import subprocess
import warnings

import pandas

import heddle
from support import LAUNCHER, Case, main


class RunTest(Case):
    def setUp(self):
        super().setUp()
        self.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        self.ring = heddle.Workload.collective("AllReduce", "256KiB", group="DP")

    def test_the_result_is_that_of_the_command(self):
        program, shell = heddle.find_program(), os.path.abspath("shell.h5")
        subprocess.run([program, "run", "-n", self.fabric.path, "-w", os.path.basename(self.ring.path), "--passes", "2", "--set", "CC_MODE=3",
                        "-o", shell], check=True, capture_output=True, cwd=os.path.dirname(self.ring.path))
        result = heddle.run(self.fabric, self.ring, passes=2, transport_congestion_control="HPCC", output="python.h5")
        self.assertEqual(heddle.command("compare", "shell.h5", "python.h5")[:5], "equal")
        self.assertEqual(result.path, os.path.abspath("python.h5"))
        self.assertEqual(result.options["transport.congestion_control"], "3")
        self.assertIn(f"digest of flows  {result.attributes['flows_digest']}", result.summary)
        self.assertEqual(result.flows().attrs["units"]["fct_ps"], "ps")
        self.assertEqual(sorted(os.listdir()), ["python.h5", "shell.h5"])

    def test_the_place_of_its_files_does_not_change_it(self):
        script = ("import heddle; heddle.run(heddle.Topology('spectrum-x', gpus=16, oversubscription=1), job=[{'workload': "
                  "heddle.Workload.collective('AllReduce', '64KiB', group='DP'), 'gpus': '0-15'}], output='%s', failures='late.csv')")
        with open("late.csv", "w", encoding="utf-8") as file:
            file.write("time,event,a,b\n1s,link_down,0,16\n")
        for name in ("one.h5", "two.h5"):
            subprocess.run(["/usr/bin/python3", "-c", script % name], check=True)
        self.assertEqual(heddle.command("compare", "one.h5", "two.h5")[:5], "equal")
        self.ring.save("ring.txt")
        heddle.run(self.fabric, "ring.txt", output="text.h5")
        heddle.command("run", "-n", self.fabric.path, "-w", "ring.txt", "-o", "shell.h5")
        self.assertEqual(heddle.command("compare", "text.h5", "shell.h5")[:5], "equal")

    def test_ranks_do_not_change_it(self):
        results = [heddle.run(self.fabric, self.ring, ranks=ranks, launcher=LAUNCHER) for ranks in (1, 2, 3)]
        self.assertEqual([result.run["ranks"] for result in results], [1, 2, 3])
        self.assertEqual(len({result.attributes["flows_digest"] for result in results}), 1)

    def test_flows_as_a_frame(self):
        flows = pandas.DataFrame({"src": [0, 1], "dst": [8, 9], "size_bytes": [1000000, 2000000], "timestamp_ns": [0, 500], "note": "x"})
        done = heddle.run(self.fabric, trace=flows).flows()
        self.assertEqual(done[["src", "dst", "size_bytes"]].values.tolist(), [[0, 8, 1000000], [1, 9, 2000000]])
        self.raises(heddle.InputError, "expected a frame with the columns timestamp_ns", lambda: heddle.run(self.fabric, trace=flows[["src"]]))

    def test_a_result_without_a_name_goes_with_its_object(self):
        result = heddle.run(self.fabric, self.ring)
        path = result.path
        result.save("kept.h5")
        self.raises(heddle.FileError, "kept.h5: exists", lambda: result.save("kept.h5"))
        self.assertTrue(os.path.exists(path))
        del result
        gc.collect()
        self.assertFalse(os.path.exists(os.path.dirname(path)))
        self.assertTrue(heddle.open("kept.h5").complete)

    def test_warnings_are_pythons(self):
        step = heddle.Workload(tp=8, gpus=8).layer("a", forward=(0, "AllReduce", "64KiB"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            heddle.run(self.fabric, step)
        self.assertEqual([(one.category, os.path.basename(one.filename)) for one in caught], [(heddle.RunWarning, "test_run.py")])
        self.assertIn("made for 8 GPUs", str(caught[0].message))

    def test_the_estimate_is_that_of_the_run(self):
        estimate = heddle.estimate(self.fabric, self.ring)
        result = heddle.run(self.fabric, self.ring)
        self.assertEqual(estimate["flows"], result.attributes["flows_finished"])
        self.raises(heddle.InputError, "/nowhere", lambda: heddle.estimate("/nowhere", self.ring))

    def test_max_wall_ends_and_restart_goes_on(self):
        long = heddle.Workload.collective("AllReduce", "64KiB", group="DP", passes=4000)
        with self.assertRaises(heddle.Checkpointed) as caught:
            heddle.run(self.fabric, long, output="long.h5", max_wall="1s")
        self.assertIn("saved in", str(caught.exception))
        self.assertTrue(os.path.exists("long.h5.ckpt"))
        result = heddle.run(self.fabric, long, output="long.h5", restart="auto")
        self.assertTrue(result.complete and result.run["restarts"] == 1)


if __name__ == "__main__":
    main()
