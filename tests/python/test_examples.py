# SPDX-License-Identifier: GPL-2.0-only
"""The examples in the package's docstrings show what is printed."""
import doctest
import importlib
import pkgutil

import heddle
from support import Case, main


class ExamplesTest(Case):
    def test_docstrings(self):
        topology = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        workload = heddle.Workload.collective("AllReduce", "64KiB", group="DP")
        result = heddle.run(topology, workload)
        shared = {"heddle": heddle, "topology": topology, "workload": workload, "result": result}
        attempted = 0
        for module in [heddle] + [importlib.import_module(one.name) for one in pkgutil.walk_packages(heddle.__path__, "heddle.")]:
            done = doctest.testmod(module, extraglobs=shared, optionflags=doctest.ELLIPSIS)
            self.assertEqual(done.failed, 0, module.__name__)
            attempted += done.attempted
        self.assertGreater(attempted, 45)


if __name__ == "__main__":
    main()
