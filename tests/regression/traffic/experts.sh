#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Experts that tokens choose unevenly: the default as before, who paces the step, backends beside each other, tables of files, the same
# result on one to three ranks and from checkpoints, refusals. Usage: experts.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 16 -gps 4 -o rails.txt > /dev/null || fail topo
layer() {  # BYTES EXPERTS_NS
  printf 'embedding_layer -1 1000 NONE 0 1000 NONE 0 1000 NONE 0 1\n'
  printf 'mlp_moelayer -1 1 ALLTOALL_EP %s 1 ALLTOALL_EP %s 1 NONE 0 1\n' "$1" "$1"
  printf 'mlp_moelayer -1 %s NONE 0 %s NONE 0 1 NONE 0 1\n' "$2" "$2"
  printf 'mlp_moelayer -1 1 ALLTOALL_EP %s 1 ALLTOALL_EP %s 1 NONE 0 1\n' "$1" "$1"
}
moe() {
  printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 16 pp: 1 vpp: 1 ga: 1 all_gpus: 16\n4\n'
  layer "$1" "$2"
}
moe 4194304 200000 > moe.txt
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }
uneven=(--set experts.routing=zipf --set experts.count=64 --set experts.tokens=256)

# ---- the default is as before ------------------------------------------------------------------------------------------------------------
run -n rails.txt -w moe.txt -o plain.h5
run -n rails.txt -w moe.txt --set experts.routing=even --set experts.form=server -o even.h5
"$heddle" compare -q plain.h5 even.h5 || fail 'even routing is not the default'
grep -q '^experts ' out && fail 'experts are announced without routing'

# ---- half of all choices are of the experts of rank 5: its GPU paces the step ------------------------------------------------------------
for expert in $(seq 0 15); do echo "$expert $((expert == 5 ? 15 : 1))"; done > counts.txt
table=(--set experts.routing=counts --set experts.count=16 --set experts.top_k=1 --set experts.tokens=60 --set experts.table=counts.txt)
run -n rails.txt -w moe.txt "${table[@]}" --timeline -o paced.h5
grep -q 'expert 5 has up to 8.00 times the mean, rank 5 of its group 8.00 times, and paces the step' out || { fail 'who paces the step'; cat out; }
"$heddle" analyze step paced.h5 > step.txt || fail 'analyze step'
grep -qE 'compute.*GPU 5( |$|:|,|\))' step.txt || grep -qE 'server 1 / GPU 1.*compute|compute.*server 1 / GPU 1' step.txt || { fail 'analyze step does not name the GPU'; cat step.txt; }
"$heddle" validate paced.h5 > /dev/null || fail 'the result is not valid'

# ---- every form by packets, fluids and closed forms --------------------------------------------------------------------------------------
time_of() { /usr/bin/python3 -c "import h5py, sys; print(h5py.File(sys.argv[1])['collectives']['time_ps'][0])" "$1"; }
for form in plain rank server; do
  for backend in packet flow analytical; do
    run -n rails.txt -w moe.txt "${uneven[@]}" --set experts.form=$form --backend $backend -o "$form-$backend.h5"
  done
  for backend in flow analytical; do
    /usr/bin/python3 -c "
packets, other = float('$(time_of $form-packet.h5)'), float('$(time_of $form-$backend.h5)')
print('$form', '$backend', round(other / packets, 3))
raise SystemExit(not 0.75 < other / packets < 1.25)" || fail "$form by $backend is far from packets"
  done
done
bytes_of() {  # FILE: between servers, of the first collective
  /usr/bin/python3 -c "
import h5py, sys
f = h5py.File(sys.argv[1])['flows']
first = f['operation'][:] == 0
across = f['src'][:] // 4 != f['dst'][:] // 4
print(int(f['size_bytes'][:][first & across].sum()))" "$1"
}
[ "$(bytes_of server-packet.h5)" -lt "$(bytes_of rank-packet.h5)" ] || fail 'a token crosses more than once'
[ "$(bytes_of rank-packet.h5)" -lt "$(bytes_of plain-packet.h5)" ] || fail 'a token goes to a rank more than once'

# ---- ranks and checkpoints; not with a table that has changed ----------------------------------------------------------------------------
for ranks in 2 3; do
  timeout 300 "${mpirun[@]}" -n "$ranks" "$heddle" run -n rails.txt -w moe.txt "${uneven[@]}" --set experts.form=server -o "ranks_$ranks.h5" \
    > out 2>&1 < /dev/null || { fail "$ranks ranks"; cat out; }
  "$heddle" compare -q server-packet.h5 "ranks_$ranks.h5" || fail "$ranks ranks: another result"
done
moe 268435456 200000 > long.txt
long=(-n rails.txt -w long.txt "${table[@]}" --set experts.form=server --grain 1)
run "${long[@]}" -o long.h5
legs=0 limit=300 ranks=1
while :; do
  timeout 300 "${mpirun[@]}" -n $ranks "$heddle" run -q "${long[@]}" -o legs.h5 --max-wall ${limit}ms --restart auto > leg.txt 2>&1 < /dev/null
  code=$?
  [ $code = 85 ] || break
  if [ $legs = 0 ]; then
    cp counts.txt kept.txt
    sed -i 's/^7 1$/7 2/' counts.txt
    timeout 60 "$heddle" run -q "${long[@]}" -o legs.h5 --restart auto > out 2>&1 < /dev/null
    [ $? -eq 3 ] && grep -q 'experts_digest' out || { fail 'a table that has changed'; cat out; }
    mv kept.txt counts.txt
  fi
  legs=$((legs + 1)) limit=$((limit + 100)) ranks=$((ranks % 3 + 1))
  [ $legs -lt 40 ] || break
done
[ $code = 0 ] || { fail "restarts: exit code $code"; cat leg.txt; }
[ $legs -gt 0 ] || fail 'the run was not stopped'
"$heddle" compare -q long.h5 legs.h5 || fail 'another result after restarts'

# ---- what does not fit -------------------------------------------------------------------------------------------------------------------
refuses() {  # PATTERN ARGUMENT...
  local pattern=$1
  shift
  timeout 60 "$heddle" run -n rails.txt -w moe.txt "$@" -o refused.h5 > out 2>&1 < /dev/null
  local code=$?
  [ $code -eq 3 ] && grep -qE "$pattern" out || { fail "code $code, not 3 with $pattern: $*"; cat out; }
}
refuses 'experts.count=60 on expert groups of 16 ranks.*such as 64' --set experts.routing=zipf --set experts.count=60
refuses "experts.routing: found 'pareto'" --set experts.routing=pareto
refuses 'none.txt' --set experts.routing=counts --set experts.table=none.txt
refuses 'experts.routing=counts without a file. Expected: experts.table=FILE' --set experts.routing=counts
refuses 'experts.table=counts.txt with experts.routing=zipf. Expected: counts or tokens' "${uneven[@]}" --set experts.table=counts.txt
refuses 'counts.txt: 16 experts, with experts.count=64. Expected: experts.count=16' "${uneven[@]}" --set experts.routing=counts --set experts.table=counts.txt
printf '0 1\n0 x\n' > wrong.txt
refuses 'wrong.txt:2: expert .x' --set experts.routing=tokens --set experts.table=wrong.txt
refuses 'collective.pxn=false, or experts.routing=even' "${uneven[@]}" --set collective.pxn=true
refuses 'experts.routing=even' "${uneven[@]}" --backend physical
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1000 0\n' > moe.txt
run -n rails.txt -w moe.txt "${uneven[@]}"
cat out err | grep -q 'experts.routing=zipf changes nothing: no ALLTOALL_EP' || { fail 'no warning without expert groups'; cat out err; }
end
