# SPDX-License-Identifier: GPL-2.0-only
"""A collective by size from Python is the command's table, and an error says which run failed and why."""
import csv
import os

import heddle
from support import Case, main


class BenchTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)

    def test_bench_is_the_commands_table(self):
        said = heddle.command("bench", "allreduce", "-n", self.fabric.path, "-b", "64KiB", "-e", "256KiB", "--algorithms", "ring,tree",
                              "-o", "shell", "--", "--set", "CC_MODE=3")
        table = heddle.bench(self.fabric, "allreduce", min_size="64KiB", max_size="256KiB", algorithms=["ring", "tree"], CC_MODE=3)
        with open("shell/bench.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for name in ("ring", "tree"):
            mine = table[table.algorithm == name]
            self.assertEqual(mine.size_bytes.tolist(), [65536, 131072, 262144])
            self.assertEqual(mine.time_us.tolist(), [float(row[f"{name}_us"]) for row in rows])
            self.assertEqual(mine.busbw_gbyte_per_s.tolist(), [float(row[f"{name}_busbw_gbs"]) for row in rows])
        self.assertEqual(table.attrs["units"]["time_us"], "us")
        self.assertEqual(table.attrs["text"].splitlines()[0], f"# ALLREDUCE of 16 ranks on {self.fabric.path}")
        self.assertIn(table.attrs["text"], said)
        chosen = heddle.bench(self.fabric, "allgather", min_size="64KiB", max_size="64KiB", output="kept", group="DP")
        self.assertEqual((len(chosen), os.path.exists("kept/report.html")), (1, True))

    def test_bench_says_why_a_run_failed(self):
        bench = lambda **more: heddle.bench(self.fabric, "allreduce", min_size="64KiB", max_size="64KiB", **more)  # noqa: E731
        self.raises(heddle.InputError, "found '99'", lambda: bench(CC_MODE=99))
        self.raises(heddle.UsageError, "the nearest is 'stepfactor'", lambda: bench(stepfacter=4))
        self.raises(heddle.UsageError, "the nearest is 'passes'", lambda: bench(pases=4))
        self.raises(heddle.UsageError, "alreduce", lambda: heddle.bench(self.fabric, "alreduce"))


if __name__ == "__main__":
    main()
