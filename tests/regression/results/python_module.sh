#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# io/python/heddle reads results: its examples run as doctests on results of heddle, every table can be read, unreadable
# files give an error with the reason, and an unfinished run gives a warning.
# Usage: python_module.sh HEDDLE FOLDER     (FOLDER: io/python; exit code 77: skipped, /usr/bin/python3 lacks the packages)
set -u
heddle=$1 folder=$2
/usr/bin/python3 -c 'import h5py, pandas' 2> /dev/null || { echo "skipped: no python3-h5py or python3-pandas"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
export PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1 HEDDLE=$heddle
"$heddle" topo DCN-DualToR -g 32 -gps 8 -npa 8 -psn 8 -app 8 -o topology.txt 2> /dev/null || exit 1
{
  echo timestamp_ns,src,dst,size_bytes
  for gpu in {0..31}; do echo "0,$gpu,$(((gpu + 8) % 32)),$((1000 + 37000 * gpu))"; done
} > trace.csv
printf '1 ALLREDUCE 300000 TP\n1 ALLTOALL 500000 EP\n' > workload.txt
"$heddle" run -q -n topology.txt --trace trace.csv --set monitor.kinds=all --set controller.enable=true -o trace.h5 || exit 1
"$heddle" run -q -n topology.txt -w workload.txt -o workload.h5 || exit 1
/usr/bin/python3 - << 'END'
import doctest, os, shutil, sys, warnings, zlib
import h5py, pandas
import heddle, heddle.result

failures = 0
def check(what, holds):
    global failures
    if not holds:
        print("FAILED ", what)
        failures += 1
def refused(what, words, action):
    try:
        action()
    except heddle.Error as error:
        check(f"{what}: {error}", words in str(error))
    else:
        check(f"{what}: nothing raised", False)

trace, workload = heddle.open("trace.h5"), heddle.open("workload.h5")
attempted = 0
inputs = {"topology": heddle.Topology.read("topology.txt"), "workload": heddle.Workload.read("workload.txt")}
for result in (trace, workload):
    for module in (heddle, heddle.result, heddle.result_file):
        done = doctest.testmod(module, extraglobs={"heddle": heddle, "result": result, **inputs}, optionflags=doctest.ELLIPSIS)
        failures += done.failed
        attempted += done.attempted
check("there are examples", attempted > 40)

# Every table by its own call, with the rows and the columns of the file.
calls = {"flows": "flows", "flow_sizes": "flow_sizes", "slowdown_histogram": "slowdown_histogram", "fct_histogram": "fct_histogram",
         "recovery": "recovery", "failures": "failures", "drops": "drops", "ports": "ports", "pause_causes": "pause_causes", "tier_load": "tier_load", "pfc": "pfc", "jobs": "jobs",
         "ranks": "ranks", "operations": "operations", "collectives": "collectives", "layers": "layers", "phase_delays": "phase_delays", "steps": "steps",
         "controller/requests": "controller_requests", "controller/paths": "controller_paths", "topology/links": "links",
         "run/ranks": "run_ranks", "run/progress": "progress"}
for result in (trace, workload):
    with h5py.File(result.path) as f:
        for name in result.tables():
            group = f[name]
            rows = len(group[next(iter(group))])
            if name == "topology/nodes":
                check("names of nodes", list(result.names()) == [text.decode() for text in group["name"]])
                continue
            if name.startswith("monitors/"):
                frame = result.monitors(name.partition("/")[2])
            elif name == "topology/shape":
                check("shape", result.shape()["gpus"] == 32)
                continue
            else:
                frame = getattr(result, calls[name])()
            check(f"{name}: columns", [c for c in frame.columns if c != "slowdown"] == result.columns(name))
            check(f"{name}: rows", len(frame) == rows)
            for column, description in result.descriptions(name).items():
                values = group[column].asstr()[:] if group[column].dtype.kind == "S" else group[column][:]
                check(f"{name}/{column}: values", list(frame[column]) == list(values))
                check(f"{name}/{column}: description", bool(description))
flows = trace.flows()
check("slowdown", ((flows.fct_ps / flows.ideal_ps) == flows.slowdown).all())
exact = flows.slowdown.quantile(0.5, interpolation="lower")
check(f"median {trace.slowdown_percentile(0.5)} is about {exact}", abs(trace.slowdown_percentile(0.5) / exact - 1) < 1 / 32)
check("text is str", isinstance(workload.collectives().op[0], str))
refused("monitors", "written by runs with --set monitor.kinds=queues", lambda: workload.monitors("queues"))
refused("jobs", "written by runs with a workload", lambda: trace.jobs())

def seal(name):  # as heddle does (docs/formats/result.md)
    data = open(name, "rb").read() + b"hddlseal"
    open(name, "wb").write(data + zlib.crc32(data).to_bytes(4, "little"))
def changed(name, edit, sealed=True):
    shutil.copy("trace.h5", name)
    with h5py.File(name, "r+") as f:
        edit(f)
    if sealed:
        seal(name)
changed("old.h5", lambda f: f.attrs.__setitem__("format_version", [1, 3]))
changed("other.h5", lambda f: f.attrs.__setitem__("filetype", "heddle part"))
def cut(f):
    f.attrs["complete"], f.attrs["until_ps"] = 0, 5
    f["flows/fct_ps"][0] = -1
changed("cut.h5", cut)
refused("format 1", "format version 1.3, this module reads 3.x", lambda: heddle.open("old.h5"))
refused("a part", "not a result of heddle", lambda: heddle.open("other.h5"))
refused("a text", "cannot be read as HDF5", lambda: heddle.open("trace.csv"))

# Damage, links and values elsewhere.
changed("unsealed.h5", lambda f: f.attrs.__setitem__("seed", 5), sealed=False)
refused("a file that h5py changed", "no seal at its end", lambda: heddle.open("unsealed.h5"))
check("it is read if asked for", heddle.open("unsealed.h5", sealed=False).attributes["seed"] == 5)
good = open("trace.h5", "rb").read()
for place in range(0, len(good), 97):
    open("flipped.h5", "wb").write(good[:place] + bytes([good[place] ^ 4]) + good[place + 1:])
    try:
        heddle.open("flipped.h5")
    except heddle.Error:
        continue
    check(f"a flipped bit in byte {place}", False)
def link(f):
    f["flows/more"] = h5py.ExternalLink("/etc/passwd", "/x")
def soft(f):
    f["flows/more"] = h5py.SoftLink("/flows/src")
def outside(f):
    del f["flows/src"]
    f["flows"].create_dataset("src", (8,), "u1", external=[("trace.csv", 0, 8)])
def virtual(f):
    del f["flows/src"]
    layout = h5py.VirtualLayout((8,), "u1")
    layout[:] = h5py.VirtualSource("trace.h5", "flows/src", (8,))
    f["flows"].create_virtual_dataset("src", layout)
def loose(f):
    del f["flows/src"]
    f["flows"].create_dataset("src", data=["a"], dtype=h5py.string_dtype())
for name, edit in (("external.h5", link), ("soft.h5", soft)):
    changed(name, edit)
    refused(name, "/flows/more is a link", lambda: heddle.open(name))
for name, edit in (("outside.h5", outside), ("virtual.h5", virtual)):
    changed(name, edit)
    refused(name, "/flows/src has its values in other files", lambda: heddle.open(name).flows())
def loose_text(f):
    del f.attrs["command_line"]
    f.attrs["command_line"] = "x" * 10
def group(f):
    f["flows"].create_group("loop")
changed("loose_text.h5", loose_text)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = heddle.open("loose_text.h5")
    check("an attribute of variable length is left out", "command_line" not in result.attributes and len(caught) == 1 and
          "attribute command_line of / is left out" in str(caught[0].message))
changed("group.h5", group)
refused("a group among columns", "/flows/loop is a group", lambda: heddle.open("group.h5").table("flows"))
changed("loose.h5", loose)
refused("text of variable length", "text of variable length", lambda: heddle.open("loose.h5").flows())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = heddle.open("cut.h5")
    check("a warning", len(caught) == 1 and "up to 5 ps" in str(caught[0].message) and not result.complete)
    check("unfinished flows have no slowdown", pandas.isna(result.flows().slowdown[0]))
print(attempted, "examples,", failures, "failures")
sys.exit(failures > 0)
END
