# SPDX-License-Identifier: GPL-2.0-only
"""Runs Spack's recipe with stand-ins for Spack's names, and holds it against the build: packages that CMake looks for, options that
it is given, files that are called. Usage: packaging_spack.py SOURCE; exit code 1 and a line for each thing that does not fit."""

import os
import pathlib
import re
import sys
import types

# What CMakeLists.txt looks for, and the Spack package that has it. None: Spack's recipe says itself where it is, or heddle does without.
PACKAGES = {
    "MPI": "mpi", "HDF5": "hdf5", "Boost": "boost", "CLI11": "cli11", "fmt": "fmt", "Metis": "metis", "XxHash": "xxhash",
    "Libdeflate": "libdeflate", "ZLIB": "zlib-api", "Protobuf": "protobuf", "Cgraph": "graphviz", "nlohmann_json": "nlohmann-json", "TomlPlusPlus": "tomlplusplus", "yaml-cpp": "yaml-cpp",
    "GTest": "googletest",
    "Git": "git", "Ns3WithMpi": None, "Uplot": None,
}

source = pathlib.Path(sys.argv[1])
problems = []
depends = []
variants = []


class Words:
    """Stands for an object of Spack's: every attribute and call is another one."""

    def __getattr__(self, name):
        return Words()

    def __call__(self, *words, **options):
        return Words()


class CMakePackage:
    prefix = Words()
    stage = types.SimpleNamespace(source_path=str(source))
    run_tests = False

    @staticmethod
    def define(name, value):
        return name

    @staticmethod
    def define_from_variant(name, variant):
        if variant not in variants:
            problems.append(f"variant {variant} is not declared")
        return name


called = []


class Executable:
    def __init__(self, path):
        called.append(str(path))

    def add_default_env(self, name, value):
        pass

    def __call__(self, *words, **options):
        return "/prefix\n"


def decorator(*words, **options):
    return lambda function: function


spack = types.ModuleType("spack.package")
spack.__dict__.update(
    CMakePackage=CMakePackage, Executable=Executable, InstallError=RuntimeError, join_path=lambda *parts: os.path.join(*map(str, parts)),
    license=lambda *words: None, version=lambda *words, **options: None, generator=lambda *words: None,
    conflicts=lambda *words, **options: None, run_after=decorator, on_package_attributes=decorator,
    variant=lambda name, **options: variants.append(name),
    depends_on=lambda spec, **options: depends.append(re.match(r"[a-z0-9-]+", spec).group()))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = spack
sys.dont_write_bytecode = True
recipe = source / "packaging" / "spack" / "package.py"
names = {}
exec(compile(recipe.read_text(), str(recipe), "exec"), names)

modules = "\n".join(module.read_text() for module in (source / "core/cmake").glob("*.cmake"))
lists = "\n".join((source / part).read_text() for part in ("CMakeLists.txt", "core/app/CMakeLists.txt", "tests/CMakeLists.txt"))
for package in re.findall(r"^\s*find_package\(([\w-]+)", lists, re.MULTILINE):
    if package not in PACKAGES:
        problems.append(f"CMake looks for {package}, which this test does not know")
    elif PACKAGES[package] is not None and PACKAGES[package] not in depends:
        problems.append(f"CMake looks for {package}, and the recipe does not depend on {PACKAGES[package]}")

os.environ.pop("NS3_PREFIX", None)
os.environ["NS3_SOURCE"] = "ns-3.37.tar.bz2"
for option in names["Heddle"]().cmake_args():
    if not re.search(rf"\b{option}\b", lists + modules):
        problems.append(f"the build has no option {option}")
for path in called:
    if not os.access(path, os.X_OK):
        problems.append(f"{path} cannot be called")
if not called:
    problems.append("ns-3 is built by nothing")
for problem in problems:
    print(f"{recipe}: {problem}")
sys.exit(1 if problems else 0)
