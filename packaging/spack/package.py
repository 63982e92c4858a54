# SPDX-License-Identifier: GPL-2.0-only
"""Spack recipe of heddle. In a repository of your own (spack repo create REPO), as packages/heddle/package.py:

    spack dev-build --source-path /path/of/a/clone heddle@main

or add `git = "URL"` below with the URL of your clone. heddle's own script builds ns-3 3.37 with MPI from its released tarball,
which Spack does not know. Set NS3_SOURCE to that tarball, or NS3_PREFIX to an installed ns-3, when you call `spack install`.
"""

import os

from spack.package import *


class Heddle(CMakePackage):
    """Parallel, distributed, packet-level simulator of AI training fabrics."""

    license("GPL-2.0-only")

    version("main", branch="main")

    variant("native", default=False, description="Optimise for the processor of the machine that builds")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("git", type="build")

    depends_on("mpi@3.1:")
    depends_on("hdf5@1.10: +mpi")
    depends_on("boost@1.74: +serialization")
    depends_on("metis@5.1:")
    depends_on("fmt@9:")
    depends_on("xxhash@0.8:")
    depends_on("libdeflate")
    depends_on("zlib-api")
    depends_on("protobuf@3.12:")
    depends_on("graphviz")
    depends_on("yaml-cpp@0.7:")
    depends_on("cli11@2.1:2", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("googletest@1.12:", type="build", when="@main")

    conflicts("%gcc@:11", msg="heddle is built and tested with GCC 12 and later")

    generator("ninja")

    def ns3_prefix(self):
        """An installed ns-3 3.37 with MPI: the user's, or one built into this package's own prefix."""
        if "NS3_PREFIX" in os.environ:
            return os.environ["NS3_PREFIX"]
        if "NS3_SOURCE" not in os.environ:
            raise InstallError("set NS3_SOURCE to the tarball of ns-3 3.37, or NS3_PREFIX to an installed one with MPI")
        script = Executable(join_path(self.stage.source_path, "core", "ns3", "build_ns3.sh"))
        script.add_default_env("XDG_CACHE_HOME", join_path(self.prefix, "libexec"))
        return script(output=str).strip()

    def cmake_args(self):
        return [
            self.define("NS3_PREFIX", self.ns3_prefix()),
            self.define_from_variant("HEDDLE_NATIVE", "native"),
            self.define("BUILD_TESTING", self.run_tests),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.share, "heddle", "python"))
        env.set("HEDDLE_SLURM", join_path(self.prefix.share, "heddle", "slurm"))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_installed(self):
        Executable(self.prefix.bin.heddle)("--version")
