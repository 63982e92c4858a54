#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every command that prints a table prints it as JSON, too: one object, as its schema says, with the figures of the text.

Usage: json_output.py HEDDLE SOURCE_DIRECTORY     (in an empty folder; exit code 77: skipped, Python lacks jsonschema or h5py)

Commands and their subjects come from `heddle help`. Each has --json and a schema in docs/formats/json, or is in WITHOUT.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time

try:
    import h5py
    import jsonschema
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

HEDDLE, SOURCE = sys.argv[1:3]
SCHEMAS = os.path.join(SOURCE, "docs/formats/json")
PAGE = os.path.join(SOURCE, "docs/formats/json.md")
WITHOUT = {
    "demo": "runs compare-fabrics, whose table has --json",
    "trace": "writes a file; trace show describes one",
    "workload": "writes a file",
    "recover": "says what it made, in a line",
    "export": "writes texts of other programs",
    "report": "writes a page",
    "explain": "a text about one key",
    "completion": "a script",
    "topo": "writes a file; topo show describes it",
    "plan": "has subjects; plan search prints one",
    "topo route": "writes a file",
    "analyze": "has subjects",
}
failures = 0


def check(what, holds, detail=""):
    global failures
    if not holds:
        failures += 1
        print("FAILED ", what, str(detail)[:2000])


def call(*words):
    done = subprocess.run([HEDDLE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def make(*words):
    code, out, err = call(*words)
    if code != 0:
        print("FAILED  an input:", words, out, err)
        sys.exit(1)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def schema_of(command):
    with open(os.path.join(SCHEMAS, command.replace(" ", "-") + ".json"), encoding="utf-8") as file:
        return json.load(file)


seen = {}  # command -> its objects


def unique(pairs):
    keys = [key for key, _ in pairs]
    check("a key twice", len(keys) == len(set(keys)), keys)
    return dict(pairs)


def refuse(constant):
    check("a number that is none", False, constant)


def ask(command, *words, code=0):
    """The text and the object of a command; the object is as the schema says."""
    text_code, text, _ = call(*command.split(), *words)
    json_code, out, err = call(*command.split(), *words, "--json")
    name = " ".join((command, *words))
    check(f"{name}: exit code", text_code == json_code == code, (text_code, json_code, err))
    try:
        found = json.loads(out, object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        check(f"{name}: not one object: {error}", False, out + err)
        sys.exit(1)
    check(f"{name}: begins otherwise", list(found)[:2] == ["command", "schema"], list(found))
    validator = jsonschema.Draft202012Validator(schema_of(command))
    for error in sorted(validator.iter_errors(found), key=str):
        check(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}", False)
    seen.setdefault(command, []).append(found)
    return text, found


def says(what, text, pattern):
    """The words of a text that the pattern's groups find."""
    match = re.search(pattern, text, re.MULTILINE)
    check(f"{what}: no /{pattern}/", match, text)
    return match.groups() if match else [None] * re.compile(pattern).groups


def near(what, shown, value, digits):
    """A number of the text is the one of the object, rounded."""
    check(f"{what}: text {shown}, JSON {value}", shown is not None and abs(float(shown) - value) <= 0.51 * 10 ** -digits)


# ---- what there is --------------------------------------------------------------------------------------------------
def all_commands():
    _, text, _ = call("help")
    body = text.split("\nExamples:")[0].split("Set up:")[1]
    names = re.findall(r"^  ([a-z-]+) +\S", body, re.MULTILINE)
    _, text, _ = call("analyze", "--help")
    subjects = re.findall(r"^  ([a-z]+) +\S", text.split("Subjects:")[1].split("\nExamples:")[0], re.MULTILINE)
    check("too few commands were found", len(names) > 20 and len(subjects) > 5, (names, subjects))
    return names + [f"analyze {subject}" for subject in subjects] + ["topo show", "topo route", "trace show", "plan search"]


def check_schemas():
    commands = all_commands()
    files = {name[:-len(".json")] for name in os.listdir(SCHEMAS)}
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for command in commands:
        _, text, _ = call(*command.split(), "--help")
        flagged = re.search(r"^ +--json ", text, re.MULTILINE) is not None
        has_schema = command.replace(" ", "-") in files
        if flagged:
            check(f"{command}: --json, but no schema in docs/formats/json", has_schema)
            check(f"{command}: no run of it in this test", command in seen)
            check(f"{command}: nothing of it in docs/formats/json.md", f"json/{command.replace(' ', '-')}.json" in page)
        else:
            check(f"{command}: neither --json nor a reason in WITHOUT", command in WITHOUT)
            check(f"{command}: a schema, but no --json", not has_schema)
    check("reasons for commands that are not there", set(WITHOUT) <= set(commands), set(WITHOUT) - set(commands))
    check("schemas of commands that are not there", files <= {c.replace(" ", "-") for c in commands}, files)
    for command in seen:
        walk(command, schema_of(command), "")


def walk(command, schema, at):
    """Each key is described, in snake_case, and no other is allowed."""
    if "properties" in schema:
        check(f"{command} {at}: other keys are allowed", schema.get("additionalProperties") is False)
        for key, value in schema["properties"].items():
            check(f"{command} {at}/{key}: not in snake_case", re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", key))
            check(f"{command} {at}/{key}: not described", value.get("description"))
            walk(command, value, f"{at}/{key}")
    for part in [schema["items"]] if "items" in schema else schema.get("anyOf", []):
        walk(command, part, at + "/")


def check_samples():
    """What the page shows of each command has the keys that it prints today."""
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"^```json\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    samples = [json.loads(block, object_pairs_hook=unique) for block in blocks]
    check("commands without a sample, or with two", sorted(sample["command"] for sample in samples) == sorted(seen), [sample["command"] for sample in samples])
    for sample in samples:
        for error in jsonschema.Draft202012Validator(schema_of(sample["command"])).iter_errors(sample):
            check(f"sample of {sample['command']}: {'/'.join(map(str, error.absolute_path))}: {error.message}", False)


def keys_of(schema, at=""):
    """The paths of all keys of a schema; "*" is each item of a list."""
    for key, value in schema.get("properties", {}).items():
        yield f"{at}/{key}"
        yield from keys_of(value, f"{at}/{key}")
    if "items" in schema:
        yield from keys_of(schema["items"], at + "/*")
    for part in schema.get("anyOf", []):
        yield from keys_of(part, at)


def shown_by(found, at=""):
    """The paths of keys that have a value in an object."""
    if isinstance(found, dict):
        for key, value in found.items():
            if value is not None:
                yield f"{at}/{key}"
                yield from shown_by(value, f"{at}/{key}")
    if isinstance(found, list):
        for item in found:
            yield from shown_by(item, at + "/*")


def check_all_shown():
    """Some run has a value for each key, or its place in the schema would not be tested."""
    for command, objects in seen.items():
        check(f"{command}: schema is another", all(found["command"] == command for found in objects))
        shown = {path for found in objects for path in shown_by(found)}
        never = [path for path in dict.fromkeys(keys_of(schema_of(command))) if path not in shown]
        check(f"{command}: no run has a value for", not never, never)


def check_refusals():
    """An error has its message and its exit code, and no half of an object."""
    for words in (["analyze", "step", "missing.h5"], ["run", "-n", "missing.topo", "-w", "ring.work"],
                  ["compare", "missing.h5", "ring.h5"], ["topo", "show", "missing.topo"], ["sweep", "missing.toml", "--collect"],
                  ["analyze", "links", "missing.h5"], ["bench", "allreduce", "-n", "missing.txt", "-o", "m"],
                  ["compare-fabrics", "missing.txt", "-w", "step.txt", "-o", "m"]):
        code, out, err = call(*words, "--json")
        check(f"{words}: no error", code in (2, 3, 6) and re.search(r"^heddle: |: ended with exit code \d", err, re.MULTILINE), (code, err))
        check(f"{words}: half of an object", out == "", out)
    for words in (["run", "-n", "two.topo", "-w", "ring.work", "-q"], ["run", "-n", "two.topo", "-w", "ring.work", "--estimate"],
                  ["compare", "ring.h5", "ring.h5", "-q"], ["validate", "ring.h5", "--complete"], ["options", "--markdown"]):
        code, out, err = call(*words, "--json")
        check(f"{words}: two outputs", code == 2 and out == "" and "--json and --" in err, (code, err))
    code, out, err = call("analyze", "links", "two.h5", "--csv", "-", "--json")
    check("--json and --csv -", code == 2 and out == "" and "both go to standard output" in err, err)


# ---- analyze --------------------------------------------------------------------------------------------------------
def micro(*sizes, operation="ALLREDUCE"):
    return f"MICRO\n{len(sizes)}\n" + "".join(f"all -1 0 NONE 0 0 NONE 0 0 {operation} {size} 0\n" for size in sizes)


def make_inputs():
    make("topo", "DCN-SingleToR", "-g", "8", "-gps", "1", "-bw", "100Gbps", "-asn", "2", "-npa", "4", "-psn", "2", "-apbw", "100Gbps", "-app",
         "2", "-o", "two.topo")
    write("ring.work", micro(1 << 20))
    write("two.csv", "timestamp_ns,src,dst,size_bytes\n0,0,4,1000000\n0,2,6,1000000\n0,3,7,1000000\n10000,1,5,1000000\n")
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "-o", "ring.h5")
    make("run", "-q", "-n", "two.topo", "--trace", "two.csv", "--set", "CC_MODE=0", "-o", "two.h5")
    make("run", "-q", "-n", "two.topo", "--trace", "two.csv", "--set", "CC_MODE=0", "--set", "controller.enable=true", "-o", "controller.h5")
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "--record", "flows=none", "-o", "none.h5")
    write("pair.work", micro(1 << 20))
    make("run", "-q", "-n", "two.topo", "--job", "workload=pair.work,gpus=0-0+4-4", "--job", "workload=pair.work,gpus=1-1+5-5", "-o", "jobs.h5")
    write("failures.csv", "time,event,a,b,rate\n110us,link_down,16,18,\n250us,link_up,16,18,\n")
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "--failures", "failures.csv", "--set", "failure.convergence=5us", "-o", "failed.h5")
    make("run", "-q", "-n", "two.topo", "--trace", "two.csv", "--failures", "failures.csv", "-o", "failed_trace.h5")
    write("long_outage.csv", "time,event,a,b,rate\n50us,link_down,0,16,\n300us,link_up,0,16,\n")
    write("three.work", micro(1 << 20, 1 << 20, 1 << 20))
    for name, more in (("long_outage", ()), ("no_rows", ("--record", "flows=none"))):
        make("run", "-q", "-n", "two.topo", "-w", "three.work", "--failures", "long_outage.csv", *more, "-o", f"{name}.h5")
    write("long.csv", "timestamp_ns,src,dst,size_bytes\n" + "".join(f"{t},{gpu},{gpu + 4},4194304\n" for t in (0, 6000000) for gpu in range(4)))
    cast = ("--set", "requests.scheduler=cast-stripe", "--set", "nic.qps_per_connection=4")
    make("run", "-q", "-n", "two.topo", "--trace", "long.csv", *cast, "--set", "cast.update_interval=20us", "--set", "monitor.kinds=queue_pairs",
         "-o", "cast.h5")
    make("run", "-q", "-n", "two.topo", "--trace", "long.csv", "--set", "requests.scheduler=stripe", "--set", "nic.qps_per_connection=4", "-o",
         "stripe.h5")
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "--set", "requests.scheduler=stripe", "--set", "nic.qps_per_connection=4", "-o",
         "stripe_job.h5")


def check_analyze():
    text, found = ask("analyze step", "ring.h5", "--top", "3")
    job = found["jobs"][0]
    near("step: time", *says("step", text, r"^job 0.*: ([\d.]+) us, "), job["time_ps"] * 1e-6, 1)
    near("step: first cause", *says("step", text, r"by cause\n +([\d.]+) us "), job["causes"][0]["time_ps"] * 1e-6, 1)
    check("step: the sentences", job["critical_path"] in text and job["beyond_ideal"] in text)
    check("step: shares", abs(sum(part["share"] for part in job["time_shares"]) - 1) < 1e-9)
    check("step: --top", len(job["longest_pieces"]) == min(3, job["pieces_count"]))
    _, found = ask("analyze step", "ring.h5", "--top", "1000")
    check("step: causes by link", {piece["link"] for piece in found["jobs"][0]["longest_pieces"]} == {c["link"] for c in found["jobs"][0]["causes"]})
    _, found = ask("analyze step", "none.h5")
    check("step: no note", found["jobs"][0]["notes"])

    text, found = ask("analyze interference", "jobs.h5")
    near("interference", *says("interference", text, r"^job 0.*: [\d.]+ us, ([\d.]+) us \("), found["jobs"][0]["lost_ps"] * 1e-6, 1)

    text, found = ask("analyze links", "two.h5", "--top", "4")
    first = found["links"][0]
    busy, over, queue_line = says("links", text, r"link\n +([\d.]+) % +([\d.]+) %(.*)$")
    near("links: while busy", busy, 100 * first["while_busy"], 1)
    near("links: over run", over, 100 * first["over_run"], 1)
    check("links: name", queue_line and first["link"] in queue_line, queue_line)
    check("links: users", all(user["name"] in text for user in first["users"]) and first["users"])
    code, csv, _ = call("analyze", "links", "two.h5", "--top", "4", "--csv", "-")
    keys, row = csv.splitlines()[:2]
    check("links: the CSV has other keys", code == 0 and [key for key in first if not key.startswith("users")] == keys.split(","), keys)
    check("links: the CSV has other values", row.split(",")[4] == str(first["sent_bytes"]), row)
    for more in ((), ("--at", "20us")):
        _, found = ask("analyze links", "two.h5", *more)
        check("links: numbers of users", all(link["users_count"] >= len(link["users"]) > 0 for link in found["links"]), found["links"])
    _, found = ask("analyze links", "none.h5")
    check("links: what is not known is null", found["unknown"] and found["links"][0]["while_busy"] is None)

    text, found = ask("analyze collisions", "two.h5")
    counts = found["results"][0]["collisions"]
    any_time, at_once = says("collisions", text, r"pairs of flows that share a link +(\d+) +(\d+)")
    near("collisions: any time", any_time, counts["ignoring_time"]["colliding_pairs"], 0)
    near("collisions: at once", at_once, counts["at_once"]["colliding_pairs"], 0)
    text, found = ask("analyze collisions", "controller.h5", "--against", "two.h5")
    check("collisions: no controller", found["results"][0]["controller"] and found["against"]["controller"] is None)
    near("collisions: mean", says("collisions", text, r"mean completion time +([\d.]+) us")[0], found["results"][0]["completion"]["mean_fct_ps"] * 1e-6, 1)

    ask("analyze collisions", "two.h5", "--against", "controller.h5")

    ask("analyze paths", "stripe_job.h5")
    text, found = ask("analyze paths", "cast.h5", "--against", "stripe.h5")
    near("paths: gain", *says("paths", text, r"^gain +([+-][\d.]+) %"), 100 * found["gain"]["mean"], 1)
    near("paths: paths", *says("paths", text, r"over ([\d.]+) different paths"), found["summary"]["mean_paths"], 1)
    pair = found["connections"][0]["queue_pairs"][0]
    near("paths: share", *says("paths", text, rf"^ +{pair['source_port']} +([\d.]+) %"), 100 * pair["share"], 1)
    check("paths: no weights", found["weights"])

    text, found = ask("analyze failures", "failed.h5", "--against", "ring.h5")
    check("failures: the sentence", found["summary"] in text)
    near("failures: cost", *says("failures", text, r"^  job 0.*: ([+-][\d.]+) us"), found["against"]["jobs"][0]["difference_ps"] * 1e-6, 1)
    check("failures: the outage", found["outages"][0]["what"] in text)
    ask("analyze failures", "failed_trace.h5")
    _, found = ask("analyze failures", "long_outage.h5")
    outage = found["outages"][0]
    check("failures: what waited", outage["longest_ps"] > 0 and outage["collectives"][0]["alike"] > 0, outage)
    text, found = ask("analyze failures", "no_rows.h5")
    check("failures: what is not known", found["unknown"] in text and found["outages"][0]["flows"] is None, found)


# ---- what starts runs -----------------------------------------------------------------------------------------------
def check_bench():
    make("topo", "spectrum-x", "-g", "16", "--oversubscription", "1", "-o", "fabric.txt")
    words = ("allreduce", "-n", "fabric.txt", "-b", "1KiB", "-e", "4KiB", "-f", "4", "--algorithms", "ring,tree", "-o", "bench")
    text, found = ask("bench", *words)
    ring = next(row for row in found["times"] if row["algorithm"] == "ring" and row["size_bytes"] == 1024)
    time, bandwidth = says("bench", text, r"^ +1024 +([\d.]+) +([\d.]+)")
    near("bench: time", time, ring["time_us"], 2)
    near("bench: bandwidth", bandwidth, ring["busbw_gbyte_per_s"], 2)
    check("bench: the sentence", found["summary"] in text and found["title"] in text)
    check("bench: of line rate", all(0 < row["of_line_rate"] <= 1 for row in found["times"]), found["times"])
    check("bench: one is the fastest", sum(row["fastest"] for row in found["times"]) == 2)
    make("export", "bench/ring.h5", "--nccl-tests", "own.log")
    text, found = ask("bench", *words[:9], "-o", "measured", "--measured", "own.log")
    check("bench: measured", found["times"][-1]["algorithm"] == "measured" and found["times"][0]["error"] is not None)


def check_compare_fabrics():
    write("step.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 16 checkpoints: 0 "
          "checkpoint_initiates: 0\n2\nlayer -1 9000 ALLREDUCE 262144 6000 ALLREDUCE 262144 5000 NONE 0 1\n"
          "grads -1 1000 NONE 0 1 NONE 0 1000 REDUCESCATTER 4194304 1\n")
    text, found = ask("compare-fabrics", "spectrum-x", "dcn-singletor", "-g", "16", "-w", "step.txt", "-o", "fabrics")
    for row, shown in zip(found["fabrics"], says("compare-fabrics", text, r"^step \[us\] +([\d.]+)[ *].* ([\d.]+)(?: \*| +[+-][\d.]+ %)")):
        near("compare-fabrics: step", shown, row["step_ps"] * 1e-6, 1)
        parts = sum(part["time_ps"] for part in row["step_shares"])
        check("compare-fabrics: the parts do not add up", abs(parts / row["step_ps"] - 1) < 1e-6, (parts, row["step_ps"]))
    rate = found["fabrics"][0]["collectives"][0]["of_line_rate"]
    check("compare-fabrics: of line rate", f"{100 * rate:.1f} %" in text, rate)
    check("compare-fabrics: the sentence", all(verdict in text for verdict in found["verdicts"]) and found["verdicts"])
    check("compare-fabrics: the best", sum(row["best"] for row in found["fabrics"]) == 1)
    code, out, err = call("compare-fabrics", "spectrum-x", "dcn-singletor", "-g", "16", "-w", "step.txt", "-o", "again", "--json")
    check("compare-fabrics: lines of runs", code == 0 and json.loads(out) and ": done" in err, (code, out[:200], err))


# ---- other commands -------------------------------------------------------------------------------------------------
def check_plan_search():
    make("topo", "Spectrum-X", "-g", "16", "-gt", "A100", "-o", "rails.topo")
    write("small.toml", 'model = "mixtral-8x7b"\nlayers = 4\nhidden = 512\nvocabulary = 4096\nsequence = 256\ngpu = "H100"\nglobal_batch = 64\n')
    text, found = ask("plan search", "-n", "rails.topo", "-w", "small.toml", "--check", "flow", "--top", "3", "-o", "found")
    near("plan search: step", *says("plan search", text, r"^ +1 +\d+ +\d+ +\d+ +\d+ +\d+ x \d+ +(?:-|[a-z0-9-]+(?: \d+)?) +([\d.]+)"), found["plans"][0]["step_ps"] * 1e-9, 3)
    check("plan search: tried", says("plan search", text, r"^plans +(\d+) tried: (\d+) priced, (\d+) ") ==
          (str(found["tried"]), str(found["priced"]), str(found["too_large"])), text)
    check("plan search: all are priced, too large or refused",
          found["tried"] == found["priced"] + found["too_large"] + sum(row["plans"] for row in found["refused"]), found)
    times = [row["checked_ps"] for row in found["plans"]]
    check("plan search: the fastest is first", times == sorted(times) and all(os.path.exists(row["plan"]) for row in found["plans"]), times)
    check("plan search: notes", found["notes"] and "A100" in found["notes"][0], found["notes"])


def check_run():
    text, found = ask("run", "-n", "two.topo", "-w", "ring.work")
    near("run: time", *says("run", text, r"^simulated +([\d.]+) us"), found["time_ps"] * 1e-6, 3)
    check("run: flows", says("run", text, r"^flows +(\d+) of (\d+)") == (str(found["flows"]["finished"]), str(found["flows"]["flows"])), found["flows"])
    check("run: digest", found["flows"]["digest"] in text)
    near("run: p99", *says("run", text, r"p99 ([\d.]+)x"), found["flows"]["slowdown"]["p99"], 2)
    kind = found["collectives"][0]
    bandwidth, line_rate = says("run", text, r"^ +ALLREDUCE .* ([\d.]+) GB/s +([\d.]+) %")
    near("run: bandwidth", bandwidth, kind["busbw_gbyte_per_s"], 2)
    near("run: of line rate", line_rate, 100 * kind["of_line_rate"], 1)
    near("run: job", *says("run", text, r"^job 0 +([\d.]+) us"), found["jobs"][0]["time_ps"] * 1e-6, 3)
    ask("run", "-n", "two.topo", "--trace", "two.csv", "--record", "flows=none")
    ask("run", "-n", "two.topo", "-w", "ring.work", "--backend", "analytical")
    _, found = ask("run", "-n", "two.topo", "-w", "ring.work", "-o", "ring.h5", "--restart", "auto")
    check("run: complete already", found["state"] == "complete already" and found["flows"] is None, found["state"])
    write("cut.csv", "time,event,a,b,rate\n20us,node_down,18,,\n20us,node_down,19,,\n")
    _, found = ask("run", "-n", "two.topo", "-w", "ring.work", "--failures", "cut.csv", code=4)
    check("run: stalled", found["state"] == "stalled", found["state"])
    make("topo", "dcn-dualtor", "-g", "16", "-o", "dual.topo")
    _, found = ask("run", "-n", "dual.topo", "-w", "step.txt", "--set", "nic.ports=hash", "--set", "nic.qps_per_connection=1")
    check("run: idle NICs", 0 < found["packets"]["idle_nic_share"] < 1, found["packets"])
    # Switches in a ring, each with a GPU that sends to the third on: PFC closes the ring.
    cables = [f"{i} {7 + i}" for i in range(7)] + [f"{7 + i} {7 + (i + 1) % 7}" for i in range(7)]
    write("circle.topo", "14 1 0 7 14 X\n7 8 9 10 11 12 13\n" + "".join(f"{cable} 100Gbps 1us 0\n" for cable in cables))
    write("circle.csv", "timestamp_ns,src,dst,size_bytes\n" + "".join(f"0,{i},{(i + 3) % 7},18000000\n" for i in range(7)))
    small = ("--set", "CC_MODE=0", "--set", "HAS_WIN=0", "--set", "BUFFER_SIZE=1")
    _, found = ask("run", "-n", "circle.topo", "--trace", "circle.csv", *small, code=4)
    check("run: deadlock", "switch 0 port 1 -> switch 1 port 2" in (found["deadlock"] or ""), found["deadlock"])
    text, found = ask("run", "-n", "two.topo", "-w", "ring.work", "--grain", "0", "--set", "engine.replay=on")
    replay = found["simulator"]["replay"]
    near("run: replayed", *says("run", text, r"^replay +([\d.]+) % of packet-hops not simulated"), 100 * replay["not_simulated_share"], 1)
    check("run: episodes", says("run", text, r"(\d+) episodes recorded, (\d+) replayed, (\d+) rebuilt, (\d+) refused") ==
          tuple(str(replay[key]) for key in ("recorded", "replayed", "rebuilt", "refused")), replay)
    check("run: whole collectives", says("run", text, r"(\d+) collectives replayed whole, (\d+) taken back") ==
          tuple(str(replay[key]) for key in ("collectives_whole", "collectives_taken_back")), replay)
    near("run: cycles", *says("run", text, r"([\d.]+) % skipped in cycles"), 100 * replay["skipped_share"], 1)
    near("run: new episodes", *says("run", text, r"([\d.]+) % in new episodes"), 100 * replay["new_share"], 1)


def make_cut():
    """A result of a run that was killed."""
    words = ("run", "-q", "-n", "two.topo", "-w", "ring.work", "--passes", "100000", "--flush", "1000s", "-o", "cut.h5")
    run = subprocess.Popen([HEDDLE, *words], stdin=subprocess.DEVNULL)
    for _ in range(1000):
        if os.path.exists("cut.h5.part.totals"):
            break
        time.sleep(0.02)
    run.kill()
    run.wait()
    make("recover", "cut.h5")


def check_results():
    text, found = ask("validate", "ring.h5", "two.h5")
    rows = says("validate", text, r"^ring.h5: valid \(format [\d.]+, \d+ tables, ([\d,]+) rows")[0]
    check("validate: rows", rows and int(rows.replace(",", "")) == found["files"][0]["rows"], rows)
    with open("two.h5", "rb") as source, open("odd.h5", "wb") as target:
        target.write(source.read()[:-5])
    _, found = ask("validate", "ring.h5", "odd.h5", code=3)
    check("validate: findings", [file["valid"] for file in found["files"]] == [True, False] and found["files"][1]["findings"], found)
    make_cut()
    text, found = ask("validate", "cut.h5")
    check("validate: not complete", not found["files"][0]["complete"] and found["files"][0]["until_ps"] is not None, found)
    shutil.copy("ring.h5", "changed.h5")
    with h5py.File("changed.h5", "r+") as file:
        file["flows/fct_ps"][0] += 1
    text, found = ask("validate", "--reseal", "changed.h5", code=3)
    finding = found["files"][0]["findings"][0]
    check("validate: the finding", finding["place"] and finding["text"] in text, (text, finding))
    ask("compare", "ring.h5", "ring.h5")
    text, found = ask("compare", "two.h5", "controller.h5", code=1)
    near("compare: mean", says("compare", text, r"^FCT mean +([\d.]+) us")[0], found["figures_a"]["fct_ps"]["mean"] * 1e-6, 3)
    check("compare: tables", all(f"/{table['table']}:" in text for table in found["tables"]) and found["tables"])
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "--backend", "analytical", "-o", "analytical.h5")
    _, found = ask("compare", "ring.h5", "analytical.h5", code=1)
    check("compare: backends", found["backends"] and found["backends"]["other"] == "analytical", found["backends"])
    text, found = ask("accuracy", "-n", "two.topo", "-w", "ring.work", "-o", "accuracy")
    near("accuracy: error", *says("accuracy", text, r"^step .*: ([+-][\d.]+) %"), 100 * found["comparisons"][0]["error"], 1)
    _, found = ask("calibrate", "ring.h5", "-o", "step.calibration", "--force")
    check("calibrate: file", found["calibration"] == "step.calibration" and os.path.exists("step.calibration"), found["calibration"])
    text, found = ask("calibrate", "ring.h5")
    near("calibrate: error", *says("calibrate", text, r"^closed forms +mean error ([\d.]+) %"), 100 * found["closed_forms"]["mean_error"], 1)
    write("perf.log", "./all_reduce_perf -b 1M\n#  Rank  7 Group  0\n1048576 1 float sum -1 200 0 0 0 210 0 0 0\n4194304 1 float sum -1 400 0 0 0 410 0 0 0\n")
    text, found = ask("calibrate", "perf.log", "-n", "two.topo")
    near("calibrate: others", *says("calibrate", text, r"^by the others +mean error ([\d.]+) %"), 100 * found["by_the_others"]["mean_error"], 1)
    write("bench.log", "./all_reduce_perf -b 1M\n#  Rank  7 Group  0\n1048576 1 float sum -1 20 0 0 0 20 0 0 0\n")
    text, found = ask("bench", "allreduce", "-n", "two.topo", "-b", "1MiB", "-e", "1MiB", "--measured", "bench.log", "-o", "measured", "--force")
    check("bench: cause", found["causes"] and found["causes"][0]["cause"] in text, found["causes"])
    write("sweep.toml", 'output = "swept"\n[run]\ntopology = "two.topo"\nworkload = "ring.work"\n[vary]\nseed = [1, 2]\n')
    make("sweep", "sweep.toml", "--local")
    code, out, err = call("sweep", "sweep.toml", "--collect", "--json", "--force")
    check("sweep --collect", code == 0, err)
    rows = json.loads(out)["runs"]
    text, found = ask("sweep", "--figures", *[row["result"] for row in rows])
    check("sweep: other rows", [dict(row, run=None, values={}) for row in rows] == found["runs"], (rows, found))
    seen["sweep"].append(json.loads(out))
    jsonschema.Draft202012Validator(schema_of("sweep")).validate(seen["sweep"][-1])
    near("sweep: completion", text.splitlines()[1].split(",")[1], found["runs"][0]["completion_us"], 3)
    # One that stalls, as GPU 0 loses its links, and says why.
    links = [line.split()[:2] for line in open("two.topo", encoding="utf-8").read().splitlines()[2:]]
    write("cut.csv", "".join(f"0s,link_down,{a},{b}\n" for a, b in links if "0" in (a, b)))
    write("cut.toml", 'output = "cut"\n[run]\ntopology = "two.topo"\nworkload = "ring.work"\n[vary]\nfailures = ["cut.csv"]\n')
    call("sweep", "cut.toml", "--local")
    code, out, err = call("sweep", "cut.toml", "--collect", "--json", "--force")
    check("sweep --collect: a run that stalled", code == 1, (code, err))
    seen["sweep"].append(json.loads(out))
    jsonschema.Draft202012Validator(schema_of("sweep")).validate(seen["sweep"][-1])
    check("sweep: why it stalled", "did not come to the end" in (seen["sweep"][-1]["runs"][0]["reason"] or ""), out)


def write_chakra(prefix, ranks):
    """A trace in which each rank computes for 10 us, then reduces 1 MiB with all others."""
    def field(number, value):
        return bytes([number << 3]) + varint(value) if isinstance(value, int) else bytes([number << 3 | 2]) + varint(len(value)) + value

    def varint(value):
        return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])

    def attribute(name, value):
        return field(10, field(1, name) + field(9, value))
    compute = field(1, 1) + field(2, b"gemm") + field(3, 4) + field(7, 10)
    reduce = field(1, 2) + field(3, 7) + field(5, varint(1)) + attribute(b"comm_type", 0) + attribute(b"comm_size", 1 << 20)
    for rank in range(ranks):
        with open(f"{prefix}.{rank}.et", "wb") as file:
            for message in (field(1, b"1.0.0"), compute, reduce):
                file.write(varint(len(message)) + message)


def check_static():
    text, found = ask("topo show", "two.topo")
    ratio = says("topo show", text, r"^leaf .* = ([\d.]+) : 1")[0]
    near("topo show: ratio", ratio, next(row["oversubscription"] for row in found["bandwidths"] if row["tier"] == "leaf"), 2)
    check("topo show: GPUs", f": {found['gpus']} GPUs" in text)
    ask("topo show", "two.topo", "--routing", "dmodk")
    write("ring.goal", "num_ranks 2\nrank 0 {\na: calc 1500\nb: send 4096b to 1 tag 3\nb requires a\n}\nrank 1 {\nrecv 4096b from 0 tag 3\n}\n")
    text, found = ask("trace show", "ring.goal")
    check("trace show: operations", f"1 send, {found['operations']['receives']} receive, 1 calc; 1 dependency" in text, text)
    check("trace show: nothing is odd", found["odd"] == [] and "odd" not in text, text)
    write_chakra("step", 2)
    text, found = ask("trace show", "step")
    check("trace show: nodes of Chakra", f"{found['nodes']['collectives']} collectives; 2 dependencies" in text, text)
    check("trace show: bytes of Chakra", says("trace show", text, r"^collective  ALL_REDUCE of all ranks: 2 calls, ([\d.]+) MiB$")[0] == "2.00", text)
    text, found = ask("loggops", "ring.goal")
    check("loggops: the last rank", f"at {max(found['end_ns'])} ns" in text and found["state"] == "finished", text)
    text, found = ask("pipeline", "zb-h1")
    check("pipeline: the time", says("pipeline", text, r"^time +([\d.]+),")[0] == f"{found['time']:g}" == "27", text)
    check("pipeline: activations", says("pipeline", text, r"^held activations +([\d ]+) at")[0] == " ".join(str(row["held_activations"]) for row in found["by_stage"]), text)
    write("apart.toml", 'model = "llama-3.1-8b"\n[[pool]]\nrole = "prefill"\n[[pool]]\nrole = "decode"\n')
    law = "poisson,rate=2,count=20,input=1000,output=20"
    text, found = ask("serve", "-n", "two.topo", "-d", "apart.toml", "--requests", law, "--slo", "ttft=10s", "--backend", "closed-form")
    check("serve: TTFT", f"{found['ttft']['mean_ps'] / 1e9:.3f}" in text, text)
    check("serve: goodput", found["good"] == 20 and "goodput          20 of 20" in text, text)
    check("serve: KV", f"KV sent          {found['kv_sent_bytes']} bytes" in text, text)
    write("rates.toml", f'output = "rates"\n[run]\ntopology = "two.topo"\nbackend = "flow"\nserve.deployment = "apart.toml"\n'
          f'serve.requests = "{law}"\nserve.slo = "ttft=10s"\n[vary]\nserve.rate = [1, 2]\n')
    make("sweep", "rates.toml", "--local")
    code, out, err = call("sweep", "rates.toml", "--collect", "--json", "--force")
    check("sweep of rates", code == 0, err)
    seen["sweep"].append(json.loads(out))
    jsonschema.Draft202012Validator(schema_of("sweep")).validate(seen["sweep"][-1])
    check("sweep: the knee", [row["knee"] for row in seen["sweep"][-1]["runs"]] == [False, True], out)
    text, ran = ask("run", "-n", "two.topo", "--serve", "apart.toml", "--requests", law, "--slo", "ttft=10s", "--backend", "flow")
    check("run --serve: TTFT", f"{ran['serving']['ttft']['mean_ps'] / 1e9:.3f}" in text, text)
    check("run --serve: goodput", ran["serving"]["good"] == 20, ran["serving"])
    check("run --serve: KV", ran["serving"]["kv_sent_bytes"] == found["kv_sent_bytes"], ran["serving"])
    make("run", "-q", "-n", "two.topo", "--serve", "apart.toml", "--requests", law, "--backend", "flow", "-o", "served.h5")
    text, found = ask("analyze serve", "served.h5")
    check("analyze serve: first token", f"{found['all']['first_token_ps'] / 1e9:.3f}" in text, text)
    check("analyze serve: as the run", abs(found["all"]["first_token_ps"] - ran["serving"]["ttft"]["mean_ps"]) < 2, found)
    text, found = ask("partition", "two.topo", "-r", "2")
    check("partition: ranks", len(found["report"]["ranks"]) == 2 and found["forecast"] is None)
    make("run", "-q", "-n", "two.topo", "-w", "ring.work", "--profile", "profile.json")
    text, found = ask("partition", "two.topo", "--predict", "profile.json", "-r", "1", "2")
    check("partition: forecasts", [row["ranks"] for row in found["forecast"]["forecasts"]] == [1, 2])
    near("partition: efficiency", *says("partition", text, r"^ +2 .* ([\d.]+)$"), found["forecast"]["forecasts"][1]["efficiency"], 2)
    text, found = ask("options")
    check("options: keys", len(found["options"]) > 50 and all(f"{option['key']} (" in text for option in found["options"]))
    text, found = ask("congestion", "two.topo", "-n", "20", "--queue-pairs", "2", "--verify-with-packets", "64KiB")
    near("congestion: bandwidth", *says("congestion", text, r"^bandwidth +([\d.]+) "), found["study"]["bandwidth"]["mean"], 4)
    check("congestion: packets", found["packets"]["messages"] and found["queue_pairs"]["queue_pairs"] == 2)
    ask("congestion", "two.topo", "--routequal", "--checkinputfile", "--routing", "dmodk")
    text, found = ask("analytical", "-w", "step.txt", "-g", "16")
    near("analytical: step", *says("analytical", text, r"^step time +([\d.]+) ms"), found["step_us"] * 1e-3, 3)
    check("analytical: parts", abs(sum(part["share"] for part in found["parts"]) - 1) < 1e-6, found["parts"])
    _, found = ask("analytical", "-w", "step.txt", "-g", "16", "--calibration", "step.calibration", "-o", "steps.h5", "--force")
    check("analytical: calibrated", found["calibrated"] and found["result"] == "steps.h5", found)
    stage = "embedding_layer -1 1000000 NONE 0 1000000 NONE 0 1000000 NONE 0 1\n"
    write("stages.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 pp: 4 ga: 4 pp_comm: 1000\n4\n" + 4 * stage)
    text, found = ask("analytical", "-w", "stages.txt", "-g", "16", "--schedule", "zb-h1")
    check("analytical: schedule", found["job"]["schedule"] == says("analytical", text, r"^schedule +(.*)")[0] == "zb-h1", text)
    text, found = ask("collective", "allreduce", "--ranks", "8", "--bytes", "1MiB")
    check("collective: flows", len(found["messages"]["flows"]) == int(says("collective", text, r"^flows +(\d+)")[0]))
    text, found = ask("collective", "allreduce", "--ranks", "16", "--bytes", "1MiB", "--tune")
    best = next(row for row in found["tune"]["predictions"] if row["shortest"])
    near("collective: tune", *says("collective", text, r" ([\d.]+)\*"), best["time_us"], 1)
    text, found = ask("collective", "allreduce", "--bytes", "1MiB", "--phases", "2x4")
    check("collective: phases", len(found["phases"]["messages"]) == len(text.split("\n\n")[1].splitlines()) - 1)


make_inputs()
check_analyze()
check_bench()
check_compare_fabrics()
check_plan_search()
check_run()
check_results()
check_static()
check_refusals()
check_all_shown()
check_schemas()
check_samples()
print(failures, "failures")
sys.exit(failures > 0)
