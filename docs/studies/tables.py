#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of the controller's studies: a run without the controller, one with it, and the
figures of the ECMP controller's specification.

tables.py layers|links|ports|cost [--seed ...] WITHOUT.h5 WITH.h5
tables.py burst WITHOUT.h5 WITH.h5, with the output of `heddle export --paths` in WITHOUT.paths and WITH.paths.
Columns of the tables read here: docs/formats/result.md.
"""
import argparse
import pathlib

import h5py
import numpy

NONE = "–"
PS_PER_NS = 1000


def print_table(head, rows):
    """Text to the left, figures to the right, as the first row has them."""
    figures = [bool(rows) and str(cell)[:1] in "0123456789+−" + NONE for cell in (rows[0] if rows else head)]
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---:" if figure else "---" for figure in figures) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def gain(without, with_it):
    """In percent of the time without the controller; positive: the controller is faster."""
    return f"{100 * (without - with_it) / without:+.2f} %".replace("-", "−")


def number(value):
    return NONE if value is None else f"{round(value):,}"


def layer_times(file):
    """Name and time [ns] of each layer's communication on GPU 0, as SimAI's end-to-end file has it."""
    layers = file["layers"]
    mine = (layers["job"][:] == 0) & (layers["rank"][:] == 0)
    total = sum(layers[f"{phase}_total_ps"][:][mine] for phase in ("fwd", "ig", "wg"))
    return list(zip(layers["name"].asstr()[:][mine], total / PS_PER_NS))


def group_range(file, layer):
    """Shortest and longest time [ns] of the layer's collective among the groups."""
    table = file["collectives"]
    mine = table["layer"][:] == layer
    times = (table["end_ps"][:] - table["start_ps"][:])[mine] / PS_PER_NS
    return f"{number(times.min())} to {number(times.max())}"


def print_layers(files, seed):
    """Time of each layer; --seed, the specification's: NAME=WITHOUT,WITH in ns, ? where it has none."""
    known = dict(entry.split("=") for entry in seed)
    runs = [times + [("total", sum(time for _, time in times))] for times in map(layer_times, files)]
    rows = []
    for (name, time), (_, other) in zip(*runs):
        figures = [None if text == "?" else int(text) for text in known.get(name, "?,?").split(",")]
        rows.append((name, number(time), number(other), gain(time, other), number(figures[0]), number(figures[1]),
                     gain(*figures) if figures[0] else NONE))
    layers = len(runs[0]) - 1
    if layers == 1:
        rows.pop()
    print_table(("layer", "without [ns]", "with [ns]", "gain",
                 "specification: without [ns]", "with [ns]", "gain"), rows)
    if len(files[0]["collectives/layer"]) > layers:
        print()
        print_table(("shortest to longest group", "without [ns]", "with [ns]"),
                    [(row[0], *(group_range(file, layer) for file in files)) for layer, row in enumerate(rows[:layers])])


def print_links(files, _):
    """Per kind of link: bytes over what the busiest could have carried, the deepest queue, ECN marks."""
    shape = files[0]["topology/shape"]
    gpus, nvswitches = int(shape["gpus"][0]), int(shape["nvswitches"][0])
    links = files[0]["topology/links"]
    ends = numpy.stack([links["a"][:], links["b"][:]])
    leaves = {node for node in ends[:, (ends < gpus).any(axis=0)].ravel().tolist() if node >= gpus + nvswitches}
    kind_of = lambda node: ("GPU" if node < gpus else "NVSwitch" if node < gpus + nvswitches
                            else "leaf" if node in leaves else "spine")
    # A node's ports count its links in their order.
    link_of, ports = {}, {}
    for link, (a, b) in enumerate(ends.T.tolist()):
        for node, peer in ((a, b), (b, a)):
            port = ports[node] = ports.get(node, -1) + 1
            link_of[node, port] = (f"{kind_of(node)} to {kind_of(peer)}", int(links["rate_bps"][link]))
    rows = []
    for file, state in zip(files, ("without", "with")):
        end = (file["flows/start_ps"][:] + file["flows/fct_ps"][:]).max()
        names = ("node", "port", "sent_bytes", "max_queued_bytes", "ecn_marked")
        found = {}
        for node, port, sent, queued, marked in zip(*(file["ports"][column][:] for column in names)):
            kind, rate = link_of[int(node), int(port)]
            busy = sent * 8e12 / rate / end
            most, deepest, marks = found.get(kind, (0, 0, 0))
            found[kind] = max(most, busy), max(deepest, int(queued)), marks + int(marked)
        rows += [(kind, state, f"{100 * busy:.1f} %", number(queued), number(marks))
                 for kind, (busy, queued, marks) in found.items() if "NVSwitch" not in kind]
    print_table(("link", "controller", "busiest, of its rate", "deepest queue [byte]", "ECN marks"), rows)


def print_ports(files, seed):
    """The controller's choices; --seed, the specification's: PORT=FLOWS."""
    known = {int(port): int(flows) for port, flows in (entry.split("=") for entry in seed)}
    requests = {name: files[1]["controller/requests"][name][:] for name in ("outcome", "source_port", "candidates")}
    free = requests["outcome"] == 0
    ports, flows = numpy.unique(requests["source_port"][free], return_counts=True)
    total = len(free)
    listed = sorted(set(ports[:5].tolist()) | set(known))
    counts = dict(zip(ports.tolist(), flows.tolist()))
    rows = [(str(port), counts.get(port, 0), known.get(port)) for port in listed]
    rows.append(("another", sum(flows for port, flows in counts.items() if port not in listed), None))
    rows.append(("none is free", int((~free).sum()), None))
    print_table(("source port", "flows", "share", "specification: flows", "share"),
                [(port, number(mine), share(mine, total), number(its), share(its, sum(known.values()))) for port, mine, its in rows])
    print(f"\n{number(total)} requests; the deepest search that found a path looked at "
          f"{number(requests['candidates'][free].max() if free.any() else 0)} source ports.")


def share(part, whole):
    return NONE if part is None or not whole else f"{100 * part / whole:.1f} %"


def print_cost(files, _):
    """What the runs cost."""
    times = [float(file.attrs["run_seconds"]) for file in files]
    print_table(("controller", "flows", "run time [s]"),
                [(name, number(len(file["flows/src"])), f"{time:.1f}")
                 for name, file, time in zip(("without", "with"), files, times)])


# The ECMP controller's specification, section 7.1: completion time without [us]; with: source port,
# spine, completion time [us].
SEED_BURST = ((850, 1, 27, 850), (850, 1, 20, 850), (850, 1, 23, 850), (850, 1, 24, 850),
              (1693, 2, 25, 850), (1693, 4, 22, 850), (1693, 2, 21, 850), (1693, 1, 26, 850))


def burst_flows(file):
    """Pair, source port, spine, completion time [us] and slowdown of each flow; the spine is the second node entered."""
    paths = pathlib.Path(file.filename).with_suffix(".paths").read_text().splitlines()
    spines = [int(line.split("|")[1].split()[1]) for line in paths if not line.startswith("#")]
    flows = {name: file["flows"][name][:] for name in ("src", "dst", "source_port", "fct_ps", "ideal_ps")}
    return [(f"{src} → {dst}", int(port), spine, fct / 1e6, fct / ideal)
            for src, dst, port, fct, ideal, spine in zip(*flows.values(), spines)]


def print_burst(files, _):
    runs = [burst_flows(file) for file in files]
    cells = lambda flow: [str(flow[1]), flow[2], f"{flow[3]:.1f}", f"{flow[4]:.2f}"]
    print_table(("flow", "without: port", "spine", "FCT [us]", "slowdown", "with: port", "spine", "FCT [us]", "slowdown",
                 "specification: without, FCT [us]", "with: port", "spine", "FCT [us]"),
                [(a[0], *cells(a), *cells(b), *seed) for a, b, seed in zip(*runs, SEED_BURST)])

    def sums(times, slowdowns, spines):
        shared = len(spines) - sum(spines.count(spine) == 1 for spine in spines)
        return numpy.mean(times), max(times), numpy.mean(slowdowns), shared
    columns = [sums([f[3] for f in run], [f[4] for f in run], [f[2] for f in run]) for run in runs]
    columns += [(1271, 1693, 1.5, 4), (850, 850, 1.0, 0)]
    names = ("mean FCT [us]", "longest FCT [us]", "mean slowdown", "flows that share a spine")
    digits = (1, 1, 2, 0)
    show = lambda value, places: f"{value:,.{places}f}"
    print()
    print_table(("", "without", "with", "gain", "specification: without", "with", "gain"),
                [(name, show(a, places), show(b, places), gain(a, b) if places == 1 else "", show(c, places), show(d, places),
                  gain(c, d) if places == 1 else "")
                 for name, places, a, b, c, d in zip(names, digits, *columns)])


def main():
    kinds = {"layers": print_layers, "links": print_links, "ports": print_ports, "cost": print_cost, "burst": print_burst}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("results", nargs=2, metavar="RESULT")
    parser.add_argument("--seed", action="append", default=[], metavar="NAME=FIGURES")
    arguments = parser.parse_args()
    kinds[arguments.kind]([h5py.File(path, "r") for path in arguments.results], arguments.seed)


if __name__ == "__main__":
    main()
