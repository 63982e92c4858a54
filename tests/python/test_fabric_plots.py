# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of fabrics: small ones have each link, large ones bundles that add up to the fabric."""
import matplotlib
import numpy

import heddle
from support import Case, main

matplotlib.use("Agg")


def texts(ax):
    return [text.get_text() for text in ax.texts]


class FabricPlotsTest(Case):
    def tearDown(self):
        matplotlib.pyplot.close("all")
        super().tearDown()

    def test_each_link_of_a_small_fabric(self):
        fabric = heddle.Topology("spectrum-x", gpus=32, oversubscription=1)
        ax = fabric.plot()
        links = fabric.links()
        between_switches_and_up = ((links.a >= 36) | (links.b >= 36)).sum()
        self.assertEqual(sum(len(lines.get_segments()) for lines in ax.collections), between_switches_and_up)
        self.assertEqual(ax.get_title(loc="left"), "spectrum-x: 32 GPUs, 12 switches")
        self.assertIn("4 servers of 8 GPUs\n1 NVSwitch each,\n2.88 Tbit/s a GPU", texts(ax))
        self.assertTrue({"8 leaves", "4 spines", "32 links\n400 Gbit/s"} <= set(texts(ax)))
        rails = {tuple(lines.get_colors()[0]) for lines in ax.collections if lines.get_segments()[0][0][1] < 1}
        self.assertEqual(len(rails), 8)
        ax.figure.canvas.draw()
        self.assertGreater((numpy.asarray(ax.figure.canvas.buffer_rgba())[..., :3] < 250).any(axis=2).mean(), 0.05)

    def test_bundles(self):
        from heddle.plots import fabric, folding
        wanted = {("spectrum-x", 1024): [2, 2, 1], ("AlibabaHPN-DualPlane", 1024): [1, 2, 2], ("DCN-DualToR", 512): [4, 4, 1],
                  ("RailOnly", 256): [1, 1], ("MultiPlane", 512): [1, 4, 4], ("DragonflyPlus", 256): [16, 16, 16], ("ScaleUp", 576): [8, 8, 1]}
        for (name, gpus), rows in wanted.items():
            net = fabric.of_topology(heddle.Topology(name, gpus=gpus, oversubscription=1))
            drawn = folding.folded(net)
            self.assertEqual([len(drawn.row(level)) for level in drawn.levels], rows, name)
            nodes = sorted(node for block in drawn.blocks for node in block.nodes)
            self.assertEqual(nodes, [node for node in range(net.nodes) if not net.gpus <= node < net.gpus + net.nvswitches])
            self.assertEqual(sorted(link for links in drawn.bundles.values() for link in links), numpy.flatnonzero(~net.scale_up).tolist())

    def test_a_large_fabric(self):
        ax = heddle.Topology("spectrum-x", gpus=4096, oversubscription=1).plot()
        self.assertLess(len(ax.patches) + len(ax.collections), 60)
        self.assertIn("512 servers of 8 GPUs\n1 NVSwitch each,\n2.88 Tbit/s a GPU", texts(ax))
        many = heddle.Topology("fat-tree", gpus=1024, oversubscription=1)
        self.assertEqual(len([text for text in texts(many.plot()) if text == "…\n26 more"]), 2)
        each = heddle.Topology("spectrum-x", gpus=8192, oversubscription=1)
        self.raises(heddle.UsageError, "links are more than a picture shows", lambda: each.plot(each=True))
        self.assertIn("1 server\nGPU 0–7", texts(heddle.Topology("spectrum-x", gpus=8).plot(each=False)))

    def test_switches_among_each_other(self):
        from heddle.plots import fabric, hubs
        for name, flags, grid in (("torus", {"dimensions": [4, 4]}, (4, 4)), ("mesh", {"dimensions": "4x4x4"}, (4, 4, 4)), ("dragonfly", {"gpus": 64}, ()),
                                  ("FullMesh", {"dimensions": [3, 5]}, (3, 5))):
            topology = heddle.Topology(name, **flags)
            net = hubs.Hubs(fabric.of_topology(topology))
            self.assertEqual((net.grid, net.bundled), (grid, False), name)
            self.assertEqual(sorted({len(links) for links in net.links.values()}), [1])
            self.assertEqual(sum(map(len, net.gpus())), topology.gpus)
            topology.plot().figure.canvas.draw()
        large = hubs.Hubs(fabric.of_topology(heddle.Topology("dragonfly", gpus=1024)))
        self.assertTrue(large.bundled)
        self.assertEqual(({len(hub.members) for hub in large.hubs}, len(large.hubs)), ({16}, 16))

    def test_by_hand(self):
        pair = heddle.Topology.from_links([("gpu 0", "gpu 1", "100Gbps", "500ns")], gpus=2)
        self.assertIn("1 link between them, 100 Gbit/s", "".join(texts(pair.plot())))
        apart = heddle.Topology.from_links([(f"gpu {i}", "nvswitch 0", "1Tbps", "1us") for i in range(4)], gpus=4, nvswitches=1, gpus_per_server=2)
        self.assertIn("1 NVSwitch", texts(apart.plot()))


if __name__ == "__main__":
    main()
