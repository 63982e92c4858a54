# SPDX-License-Identifier: GPL-2.0-only
"""A Python that runs a simulation of minutes, for tests that end one of the two."""
import glob
import os
import subprocess

import heddle
from support import LAUNCHER, Case, children_of

SCRIPT = """
import heddle
fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
ring = heddle.Workload.collective("AllReduce", "16MiB", group="DP")
try:
    heddle.run(fabric, ring, ranks={ranks}, launcher="{launcher}", passes=5000, flush="200ms", {more})
except KeyboardInterrupt:
    print("interrupted")
"""


class LongRunCase(Case):
    """Its folder has out, for results, and tmp, for Python's own files."""

    def setUp(self):
        super().setUp()
        os.makedirs("tmp")
        os.makedirs("out")
        self.environment = {**os.environ, "TMPDIR": os.path.join(self.folder, "tmp"), "OMPI_MCA_orte_tmpdir_base": self.folder}

    def start(self, ranks, more=""):
        """A Python in a run that has begun to write its result, and the processes of the run."""
        python = subprocess.Popen(["/usr/bin/python3", "-c", SCRIPT.format(ranks=ranks, launcher=LAUNCHER, more=more)], env=self.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, python)
        self.wait_for(lambda: python.poll() is not None or glob.glob("tmp/*/*/*.part.rank0") or glob.glob("out/*.part.rank0"), "parts of the result")
        self.assertIsNone(python.poll())
        run = children_of(python.pid)
        self.assertEqual(sum(line.startswith(heddle.find_program()) for line in run.values()), ranks)
        return python, list(run)

    def stop(self, python):
        python.kill()
        python.communicate()
