# SPDX-License-Identifier: GPL-2.0-only
"""Fabrics compared from Python: labels, results that stay as long as they are used, the verdict."""
import gc
import os

import heddle
from support import Case, main


class CompareFabricsTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        cls.ring = heddle.Workload.collective("AllReduce", "64KiB", group="DP")

    def test_compare_fabrics(self):
        slow = heddle.Topology("spectrum-x", gpus=16, oversubscription=1, bandwidth="100Gbps")
        compared = heddle.compare_fabrics({"fast": self.fabric, "slow": slow}, workload=self.ring, passes=2)
        self.assertEqual(list(compared.results), ["fast", "slow"])
        self.assertEqual(compared.results["slow"].attributes["flows_digest"], heddle.run(slow, self.ring, passes=2).attributes["flows_digest"])
        self.assertGreater(compared.figures.completion_us["slow"], compared.figures.completion_us["fast"])
        self.assertIn("slow is", compared.verdict)
        self.assertIsNone(compared.page)
        path = compared.results["slow"].path
        slow_alone = compared.results["slow"]
        del compared
        gc.collect()
        self.assertTrue(os.path.exists(slow_alone.path))
        del slow_alone
        gc.collect()
        self.assertFalse(os.path.exists(path))

    def test_fabrics_by_name_and_like_labels(self):
        named = heddle.compare_fabrics("spectrum-x", "alibabahpn-singleplane", gpus=16, collective="allreduce", sizes="64KiB", output="kept")
        self.assertEqual(list(named.results), ["Spectrum-X", "AlibabaHPN-SinglePlane"])
        self.assertEqual(named.page, os.path.abspath("kept/report.html"))
        self.assertTrue(os.path.exists(named.page))
        twice = heddle.compare_fabrics(self.fabric, self.fabric, collective="allreduce", sizes=["64KiB", "128KiB"])
        self.assertEqual(len(twice.results), 2)
        self.raises(heddle.UsageError, "fabric 3", lambda: heddle.compare_fabrics(self.fabric, 3, workload=self.ring))


if __name__ == "__main__":
    main()
