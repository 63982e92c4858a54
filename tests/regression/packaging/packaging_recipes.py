# SPDX-License-Identifier: GPL-2.0-only
"""Walks the steps of packaging/Containerfile and packaging/apptainer.def as far as that is possible without their tools: each step is
known, its shell code can be parsed, and each file, command, preset, target, stage and package that it names exists.

Usage: packaging_recipes.py SOURCE INSTALLED     (INSTALLED: the prefix of an installation)

Exit code 1 and a line for each thing that does not fit.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

source, installed = map(pathlib.Path, sys.argv[1:])
PACKAGING = source / "packaging"
IMAGE = "debian:12"  # that the README and the guide name
INSTRUCTIONS = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}
BUILT_IN = {"cd", "set", "export", "exec", "echo", "true"}
problems = []


def expect(recipe, what, holds):
    if not holds:
        problems.append(f"{recipe}: {what}")


def debian_release():
    text = (source / "docs/guide/01-first-run.md").read_text(encoding="utf-8")
    return re.search(r"Debian (\d+)", text)[1]


def targets():
    """Programs that the build can be asked for."""
    lists = "\n".join(path.read_text(encoding="utf-8") for path in (source / "CMakeLists.txt", source / "core/app/CMakeLists.txt"))
    return set(re.findall(r"add_executable\((\w+)", lists)) | {"all"}


def presets():
    """{preset of the build: its folder}"""
    text = json.loads((source / "CMakePresets.json").read_text(encoding="utf-8"))
    configured = {preset["name"]: preset for preset in text["configurePresets"]}

    def folder(name):
        preset = configured[name]
        parents = preset.get("inherits", [])
        found = preset.get("binaryDir") or next(filter(None, map(folder, [parents] if isinstance(parents, str) else parents)), "")
        return found
    return {preset["name"]: folder(preset["configurePreset"]).replace("${sourceDir}/", "").replace("${presetName}", preset["configurePreset"])
            for preset in text["buildPresets"]}


def unknown_packages(names):
    """Those that Debian does not have. apt's index is kept beside INSTALLED: it takes half a second to make."""
    index = installed.resolve().parent / "apt"
    index.mkdir(exist_ok=True)
    options = ["-o", f"Dir::Cache={index}", "-o", "Dir::Cache::pkgcache=packages", "-o", "Dir::Cache::srcpkgcache=sources"]
    shown = subprocess.run(["apt-cache", *options, "show", "--no-all-versions", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return set(names) - set(re.findall(r"^Package: (\S+)$", shown.stdout, re.MULTILINE))


def scripts_commands(code):
    """The commands of shell code, as lists of words."""
    lexer = shlex.shlex(code.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    command = []
    for word in [*lexer, ";"]:
        if set(word) <= set("();|&") and word:
            if command:
                yield command
            command = []
        else:
            command.append(word)


def bootstrap(recipe, words):
    """A call of bootstrap.sh: its command, preset and target. Returns the folder of the build."""
    text = (source / "bootstrap.sh").read_text(encoding="utf-8")
    command, preset, target = (words[1:] + ["all"] * 3)[:3]
    expect(recipe, f"bootstrap.sh has no command {command}", re.search(rf"^  {command}\b.*\) ", text, re.MULTILINE))
    expect(recipe, f"no preset {preset}", preset in presets())
    expect(recipe, f"no target {target}", target in targets())
    return presets().get(preset, "")


def check_command(recipe, words, made):
    """One command of a recipe, given the folders that were made before it; returns those that it makes."""
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    if not words or words[0] in BUILT_IN:
        return set()
    program, rest = words[0], words[1:]
    if program.startswith("./"):
        expect(recipe, f"no {program}", (source / program).is_file())
        return {bootstrap(recipe, words)} if program == "./bootstrap.sh" else set()
    if program == "heddle":
        expect(recipe, f"{' '.join(words)}: not a command of heddle", not rest or rest[0].startswith(("-", "$")) or
               subprocess.run([installed / "bin/heddle", rest[0], "--help"], stdout=subprocess.DEVNULL, check=False).returncode == 0)
        return set()
    expect(recipe, f"no program {program} on a Debian with what bootstrap.sh installs", shutil.which(program))
    if program == "apt-get" and "install" in rest:
        for name in unknown_packages([name for name in rest[rest.index("install") + 1:] if not name.startswith(("-", "/"))]):
            expect(recipe, f"Debian has no package {name}", False)
    if program == "cmake":
        expect(recipe, f"{rest[1]} is not where it is built", rest[0] == "--install" and rest[1] in made)
        return {rest[rest.index("--prefix") + 1]}
    if program == "cpack":
        config = rest[rest.index("--config") + 1]
        expect(recipe, f"{config} is not where it is built", str(pathlib.Path(config).parent) in made)
        expect(recipe, "the package is not for Debian", rest[rest.index("-G") + 1] == "DEB")
        return {rest[rest.index("-B") + 1]}
    if program == "mv":
        expect(recipe, f"{rest[0]} is not where it is packed", str(pathlib.Path(rest[0]).parent) in made)
        return {rest[-1]}
    return set()


def check_script(recipe, code, made):
    parsed = subprocess.run(["sh", "-n"], input=code, text=True, stderr=subprocess.PIPE, check=False)
    expect(recipe, f"shell code: {parsed.stderr.strip()}", parsed.returncode == 0)
    for words in scripts_commands(code):
        made |= check_command(recipe, words, made)


def container():
    recipe = "Containerfile"
    text = re.sub(r"^#.*\n", "", (PACKAGING / recipe).read_text(encoding="utf-8"), flags=re.MULTILINE)
    made, stages, entry = set(), {}, None
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        instruction, _, rest = line.partition(" ")
        expect(recipe, f"unknown instruction {instruction}", instruction in INSTRUCTIONS)
        if instruction == "FROM":
            image, _, stage = rest.partition(" AS ")
            expect(recipe, f"image {image}. Expected: {IMAGE}", image == IMAGE)
            if stages:
                stages[list(stages)[-1]] = made
            stages[stage or "last"], made = set(), set()
        elif instruction == "RUN":
            check_script(recipe, rest, made)
        elif instruction == "COPY" and rest.startswith("--from="):
            stage, path, place = rest.removeprefix("--from=").split()
            expect(recipe, f"stage {stage} does not make {path}", path in stages.get(stage, ()))
            made.add(place)
        elif instruction == "COPY":
            for path in rest.split()[:-1]:
                expect(recipe, f"no {path} in the tree", (source / path).exists())
        elif instruction == "ENTRYPOINT":
            entry = json.loads(rest)
        for path in re.findall(r"install .*?(/\S+\.deb)", rest) if instruction == "RUN" else ():
            expect(recipe, f"{path} is installed, and nothing made it", path in made)
    expect(recipe, f"it begins with {entry}", entry == ["heddle"])
    expect(recipe, "it does not have two stages", list(stages) == ["build", "last"])


def apptainer():
    recipe = "apptainer.def"
    text = (PACKAGING / recipe).read_text(encoding="utf-8")
    sections = dict(re.findall(r"^%(\w+)\n((?:(?!%).*\n?)*)", text, re.MULTILINE))
    expect(recipe, f"not from {IMAGE}", f"From: {IMAGE}" in text.splitlines())
    for path in sections["files"].split()[::2]:
        expect(recipe, f"no {path} in the tree", (source / path).exists())
    made = set()
    check_script(recipe, re.sub(r"^\s*#.*\n", "", sections["post"], flags=re.MULTILINE), made)
    prefixes = re.findall(r"=(/[\w/]+?)/(bin|share/[\w/]+)", sections["environment"])
    expect(recipe, "no folders in its environment", len(prefixes) >= 2)
    for prefix, path in prefixes:
        expect(recipe, f"{prefix} is not where it is installed", prefix in made)
        expect(recipe, f"an installation has no {path}", (installed / path).is_dir())


def spack():
    """What the recipe of Spack says of an installation: packaging_spack.py holds the rest against the build."""
    text = (PACKAGING / "spack/package.py").read_text(encoding="utf-8")
    folders = re.findall(r"join_path\(self\.prefix\.share, ([^)]*)\)", text)
    expect("package.py", "it names no folder of an installation", len(folders) >= 2)
    for words in folders:
        path = pathlib.Path("share", *re.findall(r'"([^"]*)"', words))
        expect("package.py", f"an installation has no {path}", (installed / path).is_dir())
    for program in re.findall(r"self\.prefix\.bin\.(\w+)", text):
        expect("package.py", f"an installation has no bin/{program}", (installed / "bin" / program).is_file())


if debian_release() != IMAGE.partition(":")[2]:
    problems.append(f"the guide builds on Debian {debian_release()}, the recipes on {IMAGE}")
container()
apptainer()
spack()
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
