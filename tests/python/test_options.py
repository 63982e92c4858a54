# SPDX-License-Identifier: GPL-2.0-only
"""Keywords: every flag and key of the program has one, none stands for two, unknown ones have a nearest."""
import os
import pathlib
import re

import heddle
from heddle import keywords
from support import Case, main

PROGRAM = heddle.find_program()
RUN = ("run",)


class OptionsTest(Case):
    def test_every_key_has_a_keyword_of_its_own(self):
        known = keywords.names(PROGRAM, *RUN)
        keys = re.findall(r"^([a-z]\S+) \((\S+)\)$", heddle.command("options"), re.MULTILINE)
        self.assertGreater(len(keys), 150)
        for key, alias in keys:
            self.assertEqual(known.keys[key.replace(".", "_")], key)
            if alias != "-":
                self.assertEqual(known.keys[alias], key)
        names = [key.replace(".", "_") for key, _ in keys]
        self.assertEqual(len(names), len(set(names)))
        both = {key for key in names if key.replace("_", "-") in known.flags}
        self.assertEqual(both, {"like"})  # the flag and the key are one

    def test_every_flag_is_found_with_its_kind(self):
        flags = keywords.names(PROGRAM, *RUN).flags
        text = heddle.command("run", "--help")
        self.assertEqual(set(flags), set(re.findall(r"^ +(?:-\w,)?--([\w-]+)", text, re.MULTILINE)))
        alone = {flag for flag, value in flags.items() if not value}
        self.assertEqual(alone, {"help", "ignore-memory", "force", "quiet", "estimate", "memory-report", "json", "spread"})
        self.assertEqual((flags["failures"], flags["restart"], flags["weights"]), ("FILE", "auto|FILE", "PROFILE"))

    def words(self, **given):
        return keywords.words(PROGRAM, RUN, given)

    def test_values(self):
        self.assertEqual(self.words(passes=2, force=True, ignore_memory=False, seed=None), ["--passes", "2", "--force"])
        self.assertEqual(self.words(CC_MODE=3, monitor_kinds=["queues", "links"], pfc_enabled=False),
                         ["--set", "transport.congestion_control=3", "--set", "monitor.kinds=queues,links", "--set", "pfc.enabled=false"])
        self.assertEqual(self.words(record={"flows": "none", "timeline": "all"}), ["--record", "flows=none", "--record", "timeline=all"])
        self.assertEqual(self.words(set={"ecn.enabled": True}), ["--set", "ecn.enabled=true"])
        self.assertEqual(self.words(**{"ecn.enabled": True}), ["--set", "ecn.enabled=true"])
        step = heddle.Workload("MICRO").layer("a", weight_gradient=(0, "allreduce", 8))
        self.assertEqual(self.words(job=[{"workload": step, "gpus": "0-7"}, "workload=b,gpus=8-15"]),
                         ["--job", f"workload={step.path},gpus=0-7", "--job", "workload=b,gpus=8-15"])

    def test_files_for_a_command_in_another_folder(self):
        there = os.path.join(self.folder, "there")
        os.mkdir(there)
        step = pathlib.Path(there, "step.txt")
        given = {"failures": "cut.csv", "weights": "p.json", "restart": "x.ckpt", "CC_LOG_FILE": "log", "record": "flows=none",
                 "job": [{"workload": step, "start": "1us"}, "workload=b.txt,gpus=8-15"]}
        self.assertEqual(keywords.words(PROGRAM, RUN, given, there), [
            "--failures", f"{self.folder}/cut.csv", "--weights", f"{self.folder}/p.json", "--restart", f"{self.folder}/x.ckpt",
            "--set", f"controller.log={self.folder}/log", "--record", "flows=none", "--job", "workload=step.txt,start=1us",
            "--job", f"workload={self.folder}/b.txt,gpus=8-15"])
        self.assertEqual(keywords.words(PROGRAM, RUN, {"restart": "auto", "patience": "never", "flows": "f.txt"}, there),
                         ["--restart", "auto", "--patience", "never", "--flows", f"{self.folder}/f.txt"])
        self.assertEqual(self.words(failures="cut.csv", weights=step), ["--failures", "cut.csv", "--weights", str(step)])

    def test_unknown_ones(self):
        self.raises(heddle.UsageError, "unknown option 'pases'; the nearest is 'passes'", lambda: self.words(pases=2))
        self.raises(heddle.UsageError, "the nearest is 'transport_congestion_control'", lambda: self.words(transport_congestion_kontrol=3))
        self.raises(heddle.UsageError, "the nearest is 'CC_MODE'", lambda: self.words(CC_MOD=3))
        self.raises(heddle.UsageError, "unknown option 'xyzxyz' (", lambda: self.words(xyzxyz=3))
        self.raises(heddle.UsageError, "force=1. Expected: True or False", lambda: self.words(force=1))

    def test_the_list(self):
        entry = heddle.options("PACKET_PAYLOAD_SIZE")
        self.assertEqual(entry.count("\n"), 1)
        self.assertIn("[byte]", entry)


if __name__ == "__main__":
    main()
