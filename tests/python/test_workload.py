# SPDX-License-Identifier: GPL-2.0-only
"""Workloads from Python run as those of files; sizes and times with units; mistakes."""
import heddle
from heddle.quantities import size_in_bytes, time_in_ns
from support import Case, main


class WorkloadTest(Case):
    def setUp(self):
        super().setUp()
        self.fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)

    def test_layers_are_read_as_they_were_built(self):
        step = heddle.Workload(tp=8, ep=2, micro_batches=1, gpus=16)
        step.layer("attention", forward=("20us", "all-reduce", "1MiB"), input_gradient="20us", weight_gradient=(20000, "AllReduce", "2MiB"),
                   update="100ns")
        step.layer("experts", forward=(0, "all_to_all", 65536, "EP"), weight_gradient=(0, None, 0))
        self.assertEqual(step.text.split("\n"), [
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 2 ga: 1 all_gpus: 16", "2",
            "attention -1 20000 ALLREDUCE 1048576 20000 NONE 0 20000 ALLREDUCE 2097152 100",
            "experts -1 0 ALLTOALL_EP 65536 0 NONE 0 0 NONE 0 0", ""])
        rows = heddle.run(self.fabric, step).collectives()
        self.assertEqual({(op, int(size)) for op, size in zip(rows.op, rows.bytes)},
                         {("ALLREDUCE", 1048576), ("ALLREDUCE", 2097152), ("ALLTOALL", 65536)})

    def test_layers_may_have_policies_of_their_own(self):
        step = heddle.Workload("HYBRID_CUSTOMIZED", tp=8)
        step.layer("shared", weight_gradient=(100, "all-reduce", 65536), policy="DATA")
        step.layer("split", forward=(100, "all-reduce", 32768), policy="HYBRID_DATA_MODEL")
        step.layer("named", forward=(100, "all-reduce", 8192, "ALL"), policy="HYBRID_DATA_MODEL")
        self.assertEqual(step.text.split("\n")[2], "shared -1 0 NONE 0 0 NONE 0 100 ALLREDUCE 65536 0 DATA")
        rows = heddle.run(self.fabric, step).collectives()
        self.assertEqual({(int(size), kind, int(ranks)) for size, kind, ranks in zip(rows.bytes, rows.group_type, rows.ranks)},
                         {(65536, "ALL", 16), (32768, "TP", 8), (8192, "ALL", 16)})
        self.raises(heddle.InputError, "the nearest is MODEL",
                    lambda: heddle.run(self.fabric, heddle.Workload("HYBRID_CUSTOMIZED").layer("a", policy="MODELS")))
        self.raises(heddle.InputError, "group 'all'. Expected: TP, DP, EP, DP_EP, ALL",
                    lambda: step.layer("a", forward=(1, "all-reduce", 8, "all")))

    def test_one_collective_in_each_group(self):
        for group, ranks, passes in (("all", 16, 2), ("TP", 8, 1), ("DP", 2, 3)):
            rows = heddle.run(self.fabric, heddle.Workload.collective("AllReduce", "64KiB", group=group, passes=passes)).collectives()
            self.assertEqual(set(rows.ranks), {ranks})
            self.assertEqual(set(rows.bytes), {65536})
            self.assertEqual(len(rows), 16 // ranks * passes)

    def test_a_model_is_the_file_of_the_command(self):
        shape = dict(model="gpt-7b", layers=1, scale=True, tp=8)
        text = heddle.command("workload", "gpt", "--gpus", 16, "--model", "gpt-7b", "--layers", 1, "--scale", "--tp", 8)
        step = heddle.Workload.gpt(gpus=16, **shape)
        self.assertEqual(step.text, text)
        self.assertIn("gpt-7b: 32 layers", step.summary)
        self.assertIn("ALLTOALL_EP", heddle.Workload.moe(gpus=16, layers=1, scale=True, ep=8).text)
        self.raises(heddle.UsageError, "unknown option 'layer'; the nearest is 'layers'", lambda: heddle.Workload.gpt(gpus=16, layer=2))
        self.raises(heddle.UsageError, "the nearest is H100", lambda: heddle.Workload.gpt(gpus=16, gpu="H101"))

    def test_quantities(self):
        for text, size in (("1", 1), ("1 B", 1), ("2KiB", 2048), ("2kB", 2000), ("1.5GiB", 3 << 29), ("1e3MB", 10**9), (5, 5)):
            self.assertEqual(size_in_bytes(text), size)
        for text, time in (("1ps000", None), ("1000ps", 1), ("2us", 2000), ("0.5ms", 500000), ("1s", 10**9), (7, 7), ("7", None), ("1ps", None)):
            if time is None:
                self.raises(heddle.InputError, f"time '{text}'. Expected: ", lambda text=text: time_in_ns(text))
            else:
                self.assertEqual(time_in_ns(text), time)
        for wrong in ("16Mib", "1.5B", "-1", "", True, -1, 0.5, None):
            self.raises(heddle.InputError, "data size ", lambda wrong=wrong: size_in_bytes(wrong))

    def test_mistakes(self):
        layer = heddle.Workload("MICRO").layer
        for words, action in (("the nearest is 'ALLREDUCE'", lambda: heddle.Workload.collective("AllReduse", 8)),
                              ("group 'PP'. Expected: all, TP", lambda: heddle.Workload.collective("AllReduce", 8, group="PP")),
                              ("passes=0", lambda: heddle.Workload.collective("AllReduce", 8, passes=0)),
                              ("layer a: time '5 parsec'", lambda: layer("a", forward="5 parsec")),
                              ("layer a: phase (1, 'ALLREDUCE')", lambda: layer("a", forward=(1, "ALLREDUCE"))),
                              ("layer a: group 'RP'", lambda: layer("a", forward=(1, "ALLREDUCE", 8, "RP"))),
                              ("layer 'a b'", lambda: layer("a b")), ("layer ''", lambda: layer("")),
                              ("a workload has no size 'tq'. Expected: tp, ", lambda: heddle.Workload(tq=8)),
                              ("MICRO: a workload without layers", lambda: heddle.run(self.fabric, heddle.Workload("MICRO"))),
                              ("the nearest is MICRO", lambda: heddle.run(self.fabric, heddle.Workload("MICRE").layer("a"))),
                              ("/nowhere: no such file", lambda: heddle.Workload.read("/nowhere"))):
            self.raises(heddle.InputError, words, action)
        kept = heddle.Workload.collective("AllReduce", 8).save("kept.txt")
        self.raises(heddle.InputError, "layers are added to", lambda: kept.layer("b"))


if __name__ == "__main__":
    main()
