# SPDX-License-Identifier: GPL-2.0-only
"""Studies from Python say what their commands say."""
import gc
import os

import heddle
from support import LAUNCHER, Case, main


class StudiesTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        cls.ring = heddle.Workload.collective("AllReduce", "64KiB", group="DP")

    def test_static_is_congestion(self):
        said = heddle.command("congestion", self.fabric.path, "-p", "shift:3", "-n", 30, "--seed", 5, "-o", "shell.h5")
        one = heddle.static(self.fabric, "shift:3", runs=30, seed=5)
        two = heddle.static(self.fabric, "shift:3", runs=30, seed=5, processes=2, launcher=LAUNCHER, output="two.h5")
        shell = heddle.open("shell.h5")
        for name in ("runs", "weights", "tiers", "cables"):
            for result in (one, two):
                self.assertTrue(result.static(name).equals(shell.static(name)), name)
        self.assertEqual(one.summary, said)
        self.assertEqual(two.path, os.path.abspath("two.h5"))
        self.assertFalse(one.static("runs").equals(heddle.static(self.fabric, "shift:3", runs=30, seed=6).static("runs")))
        self.raises(heddle.InputError, "shfit", lambda: heddle.static(self.fabric, "shfit:3"))
        self.raises(heddle.UsageError, "the nearest is 'runs'", lambda: heddle.static(self.fabric, rums=3))
        self.raises(heddle.UsageError, "prints only", lambda: heddle.static(self.fabric, routequal=True))
        folder = os.path.dirname(one.path)
        del one, result
        gc.collect()
        self.assertFalse(os.path.exists(folder))

    def test_compare(self):
        one, two = (heddle.run(self.fabric, self.ring, passes=passes) for passes in (1, 2))
        two.save("two.h5")
        self.assertTrue(heddle.compare(two, "two.h5"))
        different = heddle.compare(one, two)
        self.assertIs(different.equal, False)
        self.assertFalse(different)
        self.assertIn("\ndifferent: ", different.text)
        self.assertIn("flows_finished", repr(different))
        self.assertNotIn("flows_finished", heddle.compare(one, two, ignore=["flows_finished"]).text)
        self.raises(heddle.InputError, "nowhere.h5", lambda: heddle.compare(one, "nowhere.h5"))
        self.raises(heddle.UsageError, "the nearest is 'tolerance'", lambda: heddle.compare(one, two, tolerence=1))


if __name__ == "__main__":
    main()
