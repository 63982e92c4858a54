# SPDX-License-Identifier: GPL-2.0-only
"""Fabrics from Python are those of the command line; links by hand; mistakes."""
import os
import subprocess

import pandas

import heddle
from support import Case, main


class TopologyTest(Case):
    def test_a_family_is_the_file_of_the_command(self):
        heddle.command("topo", "Spectrum-X", "-g", 32, "-gps", 4, "-bw", "200Gbps", "-ov", 2, "-o", "shell.txt")
        with open("shell.txt", encoding="utf-8") as file:
            text = file.read()
        fabric = heddle.Topology("spectrum-x", gpus=32, gpu_per_server=4, bandwidth="200Gbps", oversubscription=2)
        self.assertEqual(fabric.text, text)
        self.assertEqual(heddle.Topology("spectrum-x", g=32, gps=4, bw="200Gbps", ov=2).path, fabric.path)
        self.assertIn("2.00 : 1", fabric.summary)
        self.assertEqual((fabric.gpus, fabric.nvswitches), (32, 8))
        self.assertTrue(fabric.show().startswith("nodes ") and fabric.summary.startswith(fabric.show()))
        self.assertEqual(heddle.Topology.read("shell.txt").links().shape[0], int(text.split()[4]))

    def test_lists_and_switches(self):
        self.assertEqual(heddle.Topology("torus", dimensions=[4, 2]).gpus, 8)
        self.assertEqual(heddle.Topology("torus", dims="4x2", rates=["400Gbps", "200Gbps"]).links().rate.nunique(), 2)
        self.assertNotEqual(heddle.Topology("AlibabaHPN", gpus=64, dp=True).text, heddle.Topology("AlibabaHPN", gpus=64, dp=False).text)

    def test_by_hand(self):
        links = [(f"gpu {i}", f"switch {i // 2}", "100Gbps", "500ns") for i in range(4)] + [("switch 0", 5, "100Gbps", "1us", 0.25)]
        fabric = heddle.Topology.from_links(links, gpus=4, switches=2, gpus_per_server=2)
        self.assertIn("GPU - leaf", fabric.summary)
        self.assertEqual(fabric.links().values.tolist()[4], [4, 5, "100Gbps", "1us", "0.25"])
        named = heddle.Topology.from_links(links, gpus=4, switches=2, names={"switch 0": "tor-a", 5: "tor-b"})
        self.assertEqual(named.links().shape, fabric.links().shape)
        self.assertIn("tor-a to tor-b: nodes 4 to 5", named.summary)
        flow = pandas.DataFrame({"timestamp_ns": [0], "src": [0], "dst": [3], "size_bytes": [10000]})
        self.assertEqual(heddle.run(named, trace=flow).names().tolist()[3:], ["GPU 3", "tor-a", "tor-b"])
        self.raises(heddle.InputError, "two nodes are named 'tor'",
                    lambda: heddle.Topology.from_links(links, gpus=4, switches=2, names={4: "tor", 5: "tor"}))
        for links, words in (([("gpu 9", "switch 0", "1Gbps", "1us")], "'gpu 9'. Expected: a node such as 'gpu 0'; there are 4 of gpu, "),
                             ([(0, 6, "1Gbps", "1us")], "end of a link 6"), ([(0, 4, "1Gbps")], "Expected: two ends, rate, delay"),
                             ([("spine 0", 4, "1Gbps", "1us")], "'spine 0'"), ([(0, 4, "1Gbps", "1 parsec")], "Expected: ")):
            self.raises(heddle.InputError, words, lambda links=links: heddle.Topology.from_links(links, gpus=4, switches=2))

    def test_mistakes(self):
        self.raises(heddle.InputError, "the nearest is Spectrum-X", lambda: heddle.Topology("spektrum-x", gpus=8))
        self.raises(heddle.UsageError, "unknown flag bww. Did you mean -bw?", lambda: heddle.Topology("spectrum-x", gpus=8, bww="1Gbps"))
        self.raises(heddle.InputError, '"100GB". Expected: a rate', lambda: heddle.Topology("spectrum-x", gpus=8, bw="100GB"))
        for name in ("show", "route", "help", "-o", "a b", ""):
            self.raises(heddle.InputError, "no fabric has the name", lambda name=name: heddle.Topology(name))
        self.raises(heddle.InputError, "/nowhere: no such file", lambda: heddle.Topology.read("/nowhere"))
        with open("other.txt", "w", encoding="utf-8") as file:
            file.write("graph { a -- b }")
        self.raises(heddle.InputError, "not in SimAI's format", lambda: heddle.Topology.read("other.txt").gpus)

    def test_files(self):
        fabric = heddle.Topology("spectrum-x", gpus=8)
        self.assertEqual(fabric.save("kept.txt").text, fabric.text)
        self.assertRaises(FileExistsError, fabric.save, "kept.txt")
        # Its own files go with Python, but not with a fork of it.
        done = subprocess.run(["/usr/bin/python3", "-c", "import heddle, os\nf = heddle.Topology('spectrum-x', gpus=8)\n"
                               "if os.fork() == 0:\n  raise SystemExit\nos.wait()\nprint(f.gpus, f.path)"],
                              capture_output=True, text=True, check=True)
        count, path = done.stdout.split()
        self.assertEqual(count, "8")
        self.assertFalse(os.path.exists(os.path.dirname(path)))


if __name__ == "__main__":
    main()
