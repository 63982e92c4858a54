#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Collectives in phases are called so wherever a result is read: the run's head, validate, report, export, compare, analyze and
# io/python/heddle. The exchanges of DLRM's embeddings overtake gradients.
# Usage: phases.sh HEDDLE FOLDER     (FOLDER: io/python)
set -u
heddle=$1 folder=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cat > dlrm.txt << 'END'
HYBRID_DLRM_ENHANCED 1
4
embeddings -1 300 ALLTOALL 98304 300 ALLTOALL 98304 300 NONE 0 98
bottom -1 1280 NONE 0 794 NONE 0 896 ALLREDUCE 133120 13
top0 -1 2560 NONE 0 2560 NONE 0 1792 ALLREDUCE 524288 524
top1 -1 2560 NONE 0 2560 NONE 0 1792 ALLREDUCE 524288 524
END
"$heddle" topo HierarchicalTorus -dims 2x4x2 -o torus.txt > /dev/null 2>&1 || fail topo
# has FILE WORDS: the pattern is in it.
has() { grep -qE -- "$2" "$1" || { fail "$1 lacks '$2'"; head -20 "$1"; }; }
lacks() { if grep -qE -- "$2" "$1"; then fail "$1 has '$2'"; fi; }
simulate() {
  "$heddle" run --astra-network torus.txt -w dlrm.txt --passes 2 --set phases.collectives="$1" -o "$2" > "$2.log" 2> err.txt ||
    { fail "run $2"; cat err.txt; }
  "$heddle" validate "$2" > valid.txt 2>&1 || { fail "$2 is not valid"; cat valid.txt; }
}
simulate enhanced phases.h5
simulate off nccl.h5

has phases.h5.log '^ +ALLTOALL +DP +PHASES +16 '
lacks phases.h5.log 'RING|TREE|DIRECT'
has nccl.h5.log '^ +ALLTOALL +DP +DIRECT +16 '
lacks nccl.h5.log 'PHASES'

"$heddle" report phases.h5 -o page.html > /dev/null 2>&1 || fail report
has page.html '"algorithm":"PHASES"'
"$heddle" export phases.h5 --perfetto trace.json --nccl-tests table.txt --astra-end-to-end end.csv > /dev/null 2>&1 || fail export
has trace.json '"algorithm":"PHASES"'
lacks trace.json '"algorithm":"(RING|TREE|DIRECT)"'
has table.txt '^# ALLTOALL DP, 16 ranks'
for result in phases nccl; do  # NPUs forward what NCCL's rings and exchanges send beyond neighbours
  "$heddle" analyze step $result.h5 > step.txt 2>&1 || { fail "analyze step $result"; cat step.txt; }
  has step.txt 'ALLREDUCE of DP'
  has step.txt 'slow link|line rate'
  "$heddle" analyze links $result.h5 > links.txt 2>&1 || { fail "analyze links $result"; cat links.txt; }
  has links.txt '^ +[0-9.]+ % +[0-9.]+ % +[0-9]+ .* -> '
  has links.txt 'job 0: .* of DP \([0-9]+ flows?'
  "$heddle" export $result.h5 --paths $result.paths > err.txt 2>&1 || { fail "export --paths $result"; cat err.txt; }
  grep -v "^#" $result.paths | awk '{split($0, part, "|"); n = split(part[2], node, " "); if (node[n] != $3) exit 1} END {exit NR < 10}' ||
    { fail "paths of $result do not end at their destinations"; head -5 $result.paths; }
done
"$heddle" compare nccl.h5 phases.h5 --ignore phases.collectives > differ.txt 2>&1 && fail "compare sees no difference"
has differ.txt '^  algorithm: .* differ'
"$heddle" compare phases.h5 phases.h5 > same.txt 2>&1 || { fail "compare with itself"; cat same.txt; }
"$heddle" calibrate phases.h5 -o fit.csv > refusal.txt 2>&1
[ $? = 3 ] || fail "calibrate takes collectives in phases for NCCL's"
has refusal.txt 'closed forms know no'

if /usr/bin/python3 -c 'import h5py, pandas' 2> /dev/null; then
  PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - > python.txt 2>&1 << 'END' || { fail "io/python"; cat python.txt; }
import heddle
rows = heddle.open("phases.h5").collectives()
assert set(rows.algorithm) == {"PHASES"} and set(rows.protocol) == {"NONE"}, rows
exchanges, gradients = rows[rows.op == "ALLTOALL"], rows[rows.op == "ALLREDUCE"]
overtaken = [(e.start_ps, g.start_ps) for e in exchanges.itertuples() for g in gradients.itertuples()
             if e.start_ps > g.start_ps and e.end_ps < g.end_ps]
assert overtaken, rows[["op", "phase", "start_ps", "end_ps"]]
END
fi
end
