# SPDX-License-Identifier: GPL-2.0-only
"""What Python costs: importing the package, and a run beyond the program's own time. Processor time, as others may load the machine."""
import resource
import subprocess
import sys

import heddle
from support import Case, main

TRIES = 5


def processor_seconds():
    """User and system time of this process and of all that it has waited for."""
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class SpeedTest(Case):
    def test_importing_is_quick_and_needs_no_package(self):
        code = ("import sys, time; began = time.process_time(); import heddle; print(time.process_time() - began, "
                "*sorted({'pandas', 'numpy', 'h5py', 'matplotlib', 'IPython'} & set(sys.modules)))")
        outputs = [subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=True).stdout.split() for _ in range(TRIES)]
        print("import heddle:", *(f"{float(output[0]):.3f}" for output in outputs), "s", file=sys.stderr)
        self.assertEqual([output[1:] for output in outputs], [[]] * TRIES)
        self.assertLess(min(float(output[0]) for output in outputs), 0.2)

    def test_a_run_costs_little_more_than_the_command(self):
        fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        ring = heddle.Workload.collective("AllReduce", "1MiB", group="DP", passes=20)
        command = [heddle.find_program(), "run", "-n", fabric.path, "-w", ring.path, "--seed", "2", "--force", "-o", "r.h5"]
        shell, python = [], []
        for _ in range(TRIES):
            began = processor_seconds()
            subprocess.run(command, check=True, capture_output=True)
            shell.append(processor_seconds() - began)
            began = processor_seconds()
            heddle.run(fabric, ring, seed=2, output="r.h5", force=True).close()
            python.append(processor_seconds() - began)
        print(f"command {min(shell):.3f} s, heddle.run {min(python):.3f} s, the first {python[0]:.3f} s", file=sys.stderr)
        self.assertLess(min(python) - min(shell), 0.1)


if __name__ == "__main__":
    main()
