# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of results show the numbers of their tables, with units."""
import os
import subprocess

import matplotlib
import numpy
import pandas

import heddle
from support import Case, main

matplotlib.use("Agg")
WITHOUT = "import sys\nsys.modules['matplotlib'] = None\nimport heddle\n"


def ink(ax):
    """Share of the picture that is not white."""
    ax.figure.canvas.draw()
    return float((numpy.asarray(ax.figure.canvas.buffer_rgba())[..., :3] < 250).any(axis=2).mean())


class PlotsTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        step = heddle.Workload(tp=8, gpus=16)
        step.layer("first", forward=("20us", "AllReduce", "256KiB"), weight_gradient=("5us", "AllReduce", "512KiB"))
        step.layer("last", forward=("10us", "AllReduce", "256KiB"), weight_gradient=("5us", "AllReduce", "1MiB"))
        # A short step: its layers have room for their names.
        quick = {"collective.latency": "nccl", "algorithm.choice": "simccl", "algorithm.allreduce": "fastest"}
        cls.result = heddle.run(cls.fabric, step, passes=2, set=quick)

    def tearDown(self):
        matplotlib.pyplot.close("all")
        super().tearDown()

    def test_completion_times(self):
        ax = self.result.plot_completion_times()
        x, y = ax.lines[0].get_data()
        times = self.result.flows().fct_ps / 1e6
        self.assertEqual((ax.get_xlabel(), y[0], y[-1]), ("completion time [µs]", 0, 1))
        for share in (0.1, 0.5, 0.9, 1.0):
            slowest = numpy.sort(times)[int(numpy.ceil(share * len(times))) - 1]
            self.assertAlmostEqual(x[numpy.searchsorted(y, share - 1e-9)], slowest)
        self.assertGreater(ink(ax), 0.01)
        slow = self.result.plot_completion_times(slowdown=True)
        self.assertAlmostEqual(max(slow.lines[0].get_xdata()), self.result.flows().slowdown.max())

    def test_completion_times_without_rows_of_flows(self):
        few = heddle.run(self.fabric, heddle.Workload.collective("AllReduce", "256KiB"), record={"flows": "none"})
        exact = heddle.run(self.fabric, heddle.Workload.collective("AllReduce", "256KiB"))
        ax = exact.plot_completion_times(label="rows")
        few.plot_completion_times(ax, label="bins")
        rows, bins = (line.get_xdata() for line in ax.lines if line.get_gid() == "curve")
        self.assertLess(abs(rows[-1] / bins[-1] - 1), 1 / 32)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["rows", "bins"])

    def test_flows_that_did_not_finish(self):
        links = [(f"gpu {i}", "switch 0", "100Gbps", "500ns") for i in range(4)]
        star = heddle.Topology.from_links(links, gpus=4, switches=1)
        with open("cut.csv", "w", encoding="utf-8") as file:
            file.write("time,event,a,b\n100us,link_down,3,4\n")
        trace = pandas.DataFrame({"src": [0, 1, 2], "dst": [1, 2, 3], "size_bytes": 4_000_000, "timestamp_ns": 0})
        with self.assertRaises(heddle.StalledError) as caught:
            heddle.run(star, trace=trace, failures="cut.csv")
        ax = caught.exception.result.plot_completion_times()
        self.assertAlmostEqual(max(ax.lines[0].get_ydata()), 2 / 3)
        self.assertEqual(ax.get_legend().get_texts()[0].get_text(), "2 flows, 1 of 3 did not finish")

    def test_bus_bandwidth(self):
        ax = self.result.plot_bus_bandwidth()
        table = self.result.collectives()
        table = table[table.op + " " + table.group_type == "ALLREDUCE DP"]
        line = next(line for line in ax.lines if line.get_label() == "ALLREDUCE DP")
        self.assertEqual(line.get_xdata().tolist(), [512 * 1024, 1024 * 1024])
        means = (table.groupby("bytes").busbw.mean() / 1e9).tolist()
        self.assertTrue(numpy.allclose(line.get_ydata(), means))
        self.assertEqual((ax.get_ylabel(), [text.get_text() for text in ax.get_xticklabels()]),
                         ("bus bandwidth [GB/s]", ["256 KiB", "512 KiB", "1 MiB"]))

    def test_bus_bandwidth_of_tables(self):
        bench = pandas.DataFrame({"size_bytes": [1024, 2048, 1024, 2048], "algorithm": ["ring", "ring", "tree", "tree"],
                                  "busbw_gbyte_per_s": [1.0, 2.0, 1.5, 2.5]})
        ax = heddle.plot_bus_bandwidth(bench)
        self.assertEqual({line.get_label(): line.get_ydata().tolist() for line in ax.lines}, {"ring": [1, 2], "tree": [1.5, 2.5]})
        sizes = {size: heddle.Workload.collective("AllReduce", size, group="DP") for size in ("64KiB", "256KiB")}
        swept = heddle.sweep(self.fabric, vary={"workload": sizes, "CC_MODE": {"DCQCN": 1, "HPCC": 3}}, jobs=1)
        ax = heddle.plot_bus_bandwidth(swept)
        self.assertEqual([line.get_label() for line in ax.lines], ["DCQCN", "HPCC"])
        self.assertEqual(ax.lines[0].get_xdata().tolist(), [65536, 262144])
        self.assertTrue(numpy.allclose(ax.lines[1].get_ydata(), swept[swept.CC_MODE == "HPCC"].busbw_gbyte_per_s, rtol=1e-3))
        self.assertEqual(len(heddle.plot_bus_bandwidth(swept, by="workload").lines), 2)
        self.raises(heddle.Error, "no column colour", lambda: heddle.plot_bus_bandwidth(swept, by="colour"))
        self.raises(heddle.Error, "expected a frame of heddle.bench", lambda: heddle.plot_bus_bandwidth(bench[["size_bytes"]]))

    def test_timeline(self):
        ax = self.result.plot_timeline(gpus=[0, 9])
        steps = self.result.steps()
        drawn = sum(len(bars.get_paths()) for bars in ax.collections)
        self.assertEqual(drawn, len(steps[steps.gpu.isin([0, 9])]))
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["forward", "weight gradient", "TP", "DP"])
        self.assertEqual(ax.get_xlabel(), "simulated time [µs]")
        self.assertIn("first", [text.get_text() for text in ax.texts])
        one = self.result.plot_timeline(passes=[1])
        self.assertEqual(len(one.get_yticks()), 8)
        self.assertEqual(sum(len(bars.get_paths()) for bars in one.collections), (steps[steps.gpu % 2 == 0]["pass"] == 1).sum())
        self.raises(heddle.Error, "no time line of GPU 16; there are those of 16 GPUs from 0 to 15", lambda: self.result.plot_timeline(gpus=[16]))
        self.raises(heddle.Error, "no steps of these GPUs", lambda: self.result.plot_timeline(passes=[5]))

    def test_link_heat(self):
        from heddle.plots import fabric, heat
        busy = heat.utilisation(self.result, fabric.of_result(self.result))
        ports, seconds = self.result.ports(), self.result.attributes["simulated_ps"] * 1e-12
        self.assertTrue(0 < busy.max() <= 1)
        rates = self.result.links().rate_bps.to_numpy()
        self.assertAlmostEqual((busy * rates[:, None]).sum() * seconds / 8 / ports.sent_bytes.sum(), 1)
        # Each GPU has sent on its NVLink, then on its link to a leaf: the order of its ports.
        links = self.result.links()
        for gpu in (0, 13):
            mine = [at for at, link in enumerate(links[["a", "b"]].values.tolist()) if gpu in link]
            sent = ports[ports.node == gpu].set_index("port").sent_bytes
            for port, link in enumerate(mine):
                out = 0 if links.a[link] == gpu else 1
                self.assertAlmostEqual(busy[link, out] * rates[link] * seconds / 8, sent[port], delta=1)
        ax = self.result.plot_link_heat()
        self.assertIn("16 GPUs", ax.get_title(loc="left"))
        self.assertEqual(ax.figure.axes[1].get_ylabel(), "utilisation [%]")
        self.assertGreater(ink(ax), 0.05)
        ports_ax = self.result.plot_link_heat(kind="ports")
        shown = ports_ax.images[0].get_array()
        self.assertEqual(shown.shape[1], self.fabric.switches)
        self.assertAlmostEqual(float(numpy.nanmax(shown)), 100 * max(
            row.sent_bytes * 8 / (rates[links.index[(links.a == row.node) | (links.b == row.node)][row.port]] * seconds)
            for row in ports[ports.node >= 18].itertuples()))
        self.raises(heddle.UsageError, "kind='map'. Expected: 'fabric' or 'ports'", lambda: self.result.plot_link_heat(kind="map"))

    def test_tier_load(self):
        ax = self.result.plot_tier_load()
        load = self.result.tier_load()
        self.assertEqual(len(ax.patches), load.tier.nunique())
        self.assertAlmostEqual(max(max(one.get_data().values) for one in ax.patches), 100 * load.utilisation.max())

    def test_results_without_what_is_drawn(self):
        static = heddle.static(self.fabric, "bisect_fb_sym", runs=2)
        closed = heddle.run(self.fabric, heddle.Workload.collective("AllReduce", "1MiB"), backend="analytical")
        for kind in ("completion_times", "bus_bandwidth", "timeline", "link_heat", "tier_load"):
            self.raises(heddle.Error, "static congestion, which has no times", getattr(static, "plot_" + kind))
        self.raises(heddle.Error, "no flow finished", closed.plot_completion_times)
        self.raises(heddle.Error, "no link carried anything", closed.plot_link_heat)
        self.assertEqual(len(closed.plot_bus_bandwidth().lines), 1)

    def test_into_given_axes(self):
        figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
        self.assertIs(self.fabric.plot(left), left)
        self.assertIs(self.result.plot_tier_load(right), right)
        self.assertEqual(matplotlib.pyplot.get_fignums(), [figure.number])

    def test_matplotlib_is_needed_by_pictures_only(self):
        shell = [WITHOUT + "f = heddle.Topology('spectrum-x', gpus=16)\nassert f.gpus == 16\ntry:\n  f.plot()\nexcept heddle.Error as e:\n  print(e)",
                 "import sys, heddle\nheddle.Topology, heddle.plot_bus_bandwidth, heddle.Result\nprint([n for n in ('matplotlib',) if n in sys.modules])"]
        said = [subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, text=True, check=True, env=os.environ).stdout
                for script in shell]
        self.assertIn("pictures need matplotlib (Debian: apt install python3-matplotlib", said[0])
        self.assertEqual(said[1], "[]\n")


if __name__ == "__main__":
    main()
