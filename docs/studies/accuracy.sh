#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Six workloads on three fabrics of 64 GPUs, with packets, by closed forms and as fluids. docs/studies/accuracy.md explains.
# Usage: accuracy.sh [BUILD_DIR [OUTPUT_DIR]]
# Results that are there already are kept, so a study that was stopped goes on. Three minutes.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin accuracy "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE

"$heddle" topo Spectrum-X -g 64 -gps 8 --oversubscription 1 -o rails.txt --force > /dev/null 2>&1
"$heddle" topo AlibabaHPN -g 64 -gps 8 -o hpn.txt --force > /dev/null 2>&1
"$heddle" topo fat-tree -g 64 --oversubscription 1 -o fat_tree.txt --force > /dev/null 2>&1

# micro NAME OPERATION BYTES
micro() { printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$2" "$3" > "$1.txt"; }
micro allreduce_16MiB ALLREDUCE 16777216
micro allreduce_256MiB ALLREDUCE 268435456
micro allgather_64MiB ALLGATHER 67108864
micro alltoall_64MiB ALLTOALL 67108864
cat > dense.txt << 'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 64 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 16777216
2
attention -1 900000 ALLREDUCE 33554432 900000 ALLREDUCE 33554432 700000 REDUCESCATTER 268435456 100
mlp -1 1200000 ALLREDUCE 33554432 1200000 ALLREDUCE 33554432 1000000 ALLGATHER 268435456 100
END
cat > experts.txt << 'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 8 pp: 1 vpp: 1 ga: 1 all_gpus: 64 checkpoints: 0 checkpoint_initiates: 0
2
attention -1 900000 ALLGATHER 33554432 900000 REDUCESCATTER 33554432 700000 ALLREDUCE 134217728 100
experts -1 1500000 ALLTOALL_EP 16777216 1500000 ALLTOALL_EP 16777216 1200000 REDUCESCATTER_DP_EP 67108864 100
END
workloads=(allreduce_16MiB allreduce_256MiB allgather_64MiB alltoall_64MiB dense experts)
"$heddle" accuracy -n rails.txt hpn.txt fat_tree.txt -w "${workloads[@]/%/.txt}" --backends packet,analytical,flow \
  -o results --csv rows.csv > screen.txt
# Fluids against packets that nothing holds back.
"$heddle" accuracy -n rails.txt hpn.txt fat_tree.txt -w "${workloads[@]/%/.txt}" --backends packet,flow --set CC_MODE=0 \
  -o results_without_control --csv rows_without_control.csv > screen_without_control.txt
/usr/bin/python3 - rows.csv rows_without_control.csv << 'END'
import csv
import sys


def table(rows, backend):
    steps = {(row["workload"], row["fabric"]): row
             for row in rows if row["operation"] == "step" and row["backend"] == backend}
    fabrics = list(dict.fromkeys(row["fabric"] for row in rows))
    print("| workload |" + "".join(f" {fabric[:-4]} |" for fabric in fabrics))
    print("|---|" + "---|" * len(fabrics))
    for workload in dict.fromkeys(row["workload"] for row in rows):
        cells = []
        for fabric in fabrics:
            step = steps[workload, fabric]
            cells.append(f"{float(step['backend_us']):.0f} us, {100 * float(step['error']):+.1f} % "
                         f"({100 * float(step['mean_error']):.1f}, {100 * float(step['p99_error']):.1f})")
        print(f"| {workload[:-4]} | " + " | ".join(cells) + " |")


with_control, without = (list(csv.DictReader(open(name, encoding="utf-8"))) for name in sys.argv[1:3])
for title, rows, backend in (("Closed forms", with_control, "analytical"), ("Fluids", with_control, "flow"),
                             ("Fluids, CC_MODE=0", without, "flow")):
    print(f"\n{title}\n")
    table(rows, backend)
END
