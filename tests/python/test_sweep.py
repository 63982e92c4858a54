# SPDX-License-Identifier: GPL-2.0-only
"""A sweep from Python has a row for each combination, also for those that fail."""
import heddle
from heddle.sweeping import FIGURES
from support import Case, main


class SweepTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        cls.ring = heddle.Workload.collective("AllReduce", "64KiB", group="DP")

    def test_rows_are_those_of_single_runs_for_any_number_at_a_time(self):
        vary = {"workload": {"small": self.ring, "large": heddle.Workload.collective("AllReduce", "1MiB", group="DP")},
                ("passes", "transport_congestion_control"): [(1, "DCQCN"), (2, "HPCC")]}
        one = heddle.sweep(self.fabric, vary=vary, jobs=1)
        both = heddle.sweep(self.fabric, vary={**vary, "workload": {"large": vary["workload"]["large"]}}, jobs=2)
        self.assertEqual(one[["workload", "passes", "transport_congestion_control"]].values.tolist(),
                         [["small", 1, "DCQCN"], ["small", 2, "HPCC"], ["large", 1, "DCQCN"], ["large", 2, "HPCC"]])
        stays = [name for name in FIGURES if name != "run_seconds"]
        self.assertEqual(one[stays].fillna(-1).values.tolist()[2:], both[stays].fillna(-1).values.tolist())
        alone = heddle.run(self.fabric, vary["workload"]["large"], passes=2, transport_congestion_control="HPCC")
        for table, row in ((one, 3), (both, 1)):
            self.assertEqual(table.result[row].attributes["flows_digest"], alone.attributes["flows_digest"])
            self.assertAlmostEqual(table.completion_us[row], int(alone.jobs().end_ps.max()) * heddle.US, places=3)
        self.assertEqual(len({result.attributes["flows_digest"] for result in one.result}), 4)
        self.assertEqual(one.attrs["units"]["fct_p99_us"], "us")

    def test_ranks_may_vary(self):
        table = heddle.sweep(self.fabric, self.ring, vary={"ranks": [1, 2]}, jobs=2)
        self.assertEqual(table.error.tolist(), ["", ""])
        self.assertEqual([result.run["ranks"] for result in table.result], [1, 2])
        self.assertEqual(len({result.attributes["flows_digest"] for result in table.result}), 1)
        self.assertEqual(list(table.columns).count("ranks"), 1)

    def test_columns_are_all_that_the_command_prints(self):
        heddle.run(self.fabric, self.ring, output="r.h5")
        self.assertEqual(heddle.command("sweep", "--figures", "r.h5").splitlines()[0].split(","), ["result", *FIGURES])

    def test_runs_that_fail_are_rows(self):
        small = heddle.Topology.from_links([(f"gpu {i}", "switch 0", "100Gbps", "500ns") for i in range(2)], gpus=2, switches=1)
        with open("cut.csv", "w", encoding="utf-8") as file:
            file.write("time,event,a,b\n0s,link_down,0,2\n")
        every = heddle.Workload.collective("AllReduce", "64KiB")
        table = heddle.sweep(small, every, vary={"failures": {"none": None, "cut": "cut.csv", "lost": "nowhere.csv"}})
        self.assertEqual(table.failures.tolist(), ["none", "cut", "lost"])
        self.assertEqual(table.state.tolist(), ["done", "stalled", "failed"])
        self.assertEqual(table.error[0], "")
        self.assertIn("did not come to the end", table.error[1])
        self.assertIn("nowhere.csv", table.error[2])
        self.assertGreater(table.completion_us[0], 0)
        self.assertEqual(table.completion_us.isna().tolist(), [False, True, True])
        self.assertEqual(table.finished_flows.isna().tolist(), [False, False, True])
        self.assertIsNone(table.result[2])
        nothing = heddle.sweep(small, every, vary={"failures": ["nowhere.csv"]})
        self.assertEqual((nothing.state[0], list(nothing.columns)), ("failed", list(table.columns)))


if __name__ == "__main__":
    main()
