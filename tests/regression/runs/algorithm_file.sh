#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Algorithms of MSCCL: a ring of a file takes the time of the ring that is built in, an AllToAll in two steps sends what it must, closed
# forms, the same result on one to three ranks and from checkpoints, refusals. Usage: algorithm_file.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# ring N: an AllReduce in place by a ring on one channel.
ring() {
  awk -v n="$1" 'BEGIN {
    print "<algo name=\"ring\" nchannels=\"1\" nchunksperloop=\"" n "\" proto=\"Simple\" ngpus=\"" n "\" coll=\"allreduce\" inplace=\"1\">"
    for (r = 0; r < n; ++r) {
      print "<gpu id=\"" r "\" i_chunks=\"" n "\" o_chunks=\"" n "\" s_chunks=\"0\">"
      print "<tb id=\"0\" send=\"" (r + 1) % n "\" recv=\"" (r + n - 1) % n "\" chan=\"0\">"
      for (k = 0; k <= 2 * n - 2; ++k) {
        type = k == 0 ? "s" : k < n ? "rrcs" : k < 2 * n - 2 ? "rcs" : "r"
        c = (r + 2 * n - k) % n
        print "<step s=\"" k "\" type=\"" type "\" srcbuf=\"i\" srcoff=\"" c "\" dstbuf=\"i\" dstoff=\"" c "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
      }
      print "</tb>"; print "</gpu>"
    }
    print "</algo>" }'
}
# two_step SERVERS LOCALS: AllToAll that gathers in the server what goes to a GPU of another one.
two_step() {
  awk -v servers="$1" -v m="$2" 'function step(s, type, sb, so, db, d, cnt, block, at) {
      print "<step s=\"" s "\" type=\"" type "\" srcbuf=\"" sb "\" srcoff=\"" so "\" dstbuf=\"" db "\" dstoff=\"" d "\" cnt=\"" cnt "\" depid=\"" block "\" deps=\"" at "\" hasdep=\"1\"/>"
    }
    BEGIN {
    n = servers * m
    print "<algo name=\"two_step\" nchannels=\"2\" nchunksperloop=\"" n "\" proto=\"Simple\" ngpus=\"" n "\" coll=\"alltoall\" inplace=\"0\">"
    for (r = 0; r < n; ++r) {
      mine = int(r / m); l = r % m; b = 0
      print "<gpu id=\"" r "\" i_chunks=\"" n "\" o_chunks=\"" n "\" s_chunks=\"" n "\">"
      print "<tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\">"
      for (s = 0; s < servers; ++s) step(s, "cpy", "i", s * m + l, s == mine ? "o" : "s", s == mine ? r : s * m + l, 1, -1, -1)
      print "</tb>"; last[b++] = servers - 1
      for (o = 0; o < m; ++o) {
        if (o == l) continue
        print "<tb id=\"" b "\" send=\"" mine * m + o "\" recv=\"" mine * m + o "\" chan=\"0\">"
        for (s = 0; s < servers; ++s) step(s, "s", "i", s * m + o, "s", 0, 1, -1, -1)
        for (s = 0; s < servers; ++s) step(servers + s, "r", "i", 0, s == mine ? "o" : "s", (s == mine ? mine : s) * m + o, 1, -1, -1)
        print "</tb>"; last[b++] = 2 * servers - 1
      }
      inside = b
      for (s = 0; s < servers; ++s) {
        if (s == mine) continue
        print "<tb id=\"" b++ "\" send=\"" s * m + l "\" recv=\"" s * m + l "\" chan=\"1\">"
        for (k = 0; k < inside; ++k) step(k, "nop", "i", 0, "o", 0, 0, k, last[k])
        step(inside, "s", "s", s * m, "o", 0, m, -1, -1)
        step(inside + 1, "r", "i", 0, "o", s * m, m, -1, -1)
        print "</tb>"
      }
      print "</gpu>"
    }
    print "</algo>" }'
}
ring 8 > ring.xml
two_step 2 4 > two.xml
"$heddle" topo Spectrum-X -g 8 -gps 4 -o rails.txt > /dev/null || fail topo
work() { printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$1" "$2" > "$1.txt"; }
work ALLREDUCE 8388608
work ALLTOALL 8388608
plain=(--like nccl --set collective.latency=nccl --set collective.protocol=simple --set algorithm.choice=simccl)
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }
time_of() { /usr/bin/python3 -c "import h5py, sys; print(h5py.File(sys.argv[1])['collectives']['time_ps'][0])" "$1"; }

# ---- a ring is a ring: as NCCL's with one channel ---------------------------------------------------------------------------------------
run -n rails.txt -w ALLREDUCE.txt "${plain[@]}" --set algorithm.allreduce=file:ring.xml --set collective.pxn=false --set collective.chunk_bytes=2097152 -o ring.h5
grep -q '^algorithm        ring.xml (ring): ALLREDUCE of groups of 8 GPUs; others as without it$' out || { fail 'announcement'; cat out; }
grep -qE 'ALLREDUCE +DP +CUSTOM' out || { fail 'the summary does not name CUSTOM'; cat out; }
"$heddle" validate ring.h5 > /dev/null || fail 'the result is not valid'
"$heddle" collective allreduce --ranks 8 --gpus-per-server 4 --bytes 8388608 --set algorithm.allreduce=file:ring.xml --set collective.chunk_bytes=2097152 \
  --format csv > file.csv || fail 'heddle collective'
[ "$(wc -l < file.csv)" -eq $((8 * 14 + 1)) ] || { fail 'messages of the ring'; head -n 3 file.csv; }

# ---- two steps: what crosses is one message a GPU and server, of the chunks of all its GPUs --------------------------------------------
"$heddle" collective alltoall --ranks 8 --gpus-per-server 4 --bytes 8388608 --set algorithm.alltoall=file:two.xml --set collective.chunk_bytes=2097152 \
  --format csv > two.csv || fail 'heddle collective alltoall'
[ "$(wc -l < two.csv)" -eq $((8 * (6 + 1) + 1)) ] || { fail 'messages in two steps'; head -n 3 two.csv; }
for ranks in 1 2 3; do
  timeout 300 "${mpirun[@]}" -n "$ranks" "$heddle" run -n rails.txt -w ALLTOALL.txt "${plain[@]}" --set algorithm.alltoall=file:two.xml \
    -o "two_$ranks.h5" > out 2>&1 < /dev/null || { fail "$ranks ranks"; cat out; }
  [ "$ranks" -eq 1 ] || "$heddle" compare two_1.h5 "two_$ranks.h5" > /dev/null || fail "$ranks ranks: another result"
done
run -n rails.txt -w ALLTOALL.txt "${plain[@]}" --set algorithm.alltoall=file:two.xml --backend analytical -o closed.h5
run -n rails.txt -w ALLREDUCE.txt "${plain[@]}" --set algorithm.allreduce=file:ring.xml --backend analytical -o closed_ring.h5
run -n rails.txt -w ALLREDUCE.txt "${plain[@]}" --set algorithm.allreduce=file:ring.xml -o packets_ring.h5
near() {  # FILE FILE PERCENT
  /usr/bin/python3 -c "
a, b = float('$(time_of "$1")'), float('$(time_of "$2")')
print('$1', a, '$2', b, round(100 * (a - b) / b, 1), '%')
raise SystemExit(abs(a - b) > b * $3 / 100)" || fail "$1 is not like $2"
}
near closed.h5 two_1.h5 10
near closed_ring.h5 packets_ring.h5 10

# ---- a group of another size goes on as without the file; nothing else is silent -------------------------------------------------------
"$heddle" topo Spectrum-X -g 16 -gps 4 -o more.txt > /dev/null
run -n more.txt -w ALLREDUCE.txt "${plain[@]}" --set algorithm.allreduce=file:ring.xml -o more.h5
grep -qE 'ALLREDUCE +DP +CUSTOM' out && fail 'CUSTOM for 16 GPUs'
refuses() {  # PATTERN ARGUMENT...
  local pattern=$1
  shift
  timeout 60 "$heddle" run -n rails.txt "$@" -o refused.h5 > out 2>&1 < /dev/null
  local code=$?
  [ $code -eq 3 ] && grep -qE "$pattern" out || { fail "code $code, not 3 with $pattern: $*"; cat out; }
}
refuses 'algorithm.allreduce: two.xml is an algorithm of ALLTOALL' -w ALLREDUCE.txt --set algorithm.allreduce=file:two.xml
refuses 'none.xml' -w ALLREDUCE.txt --set algorithm.allreduce=file:none.xml
refuses 'it looks like' -w ALLREDUCE.txt --set algorithm.allreduce=file:rails.txt
sed 's/rrcs/rcs/' ring.xml > wrong.xml
refuses 'wrong.xml: GPU [0-9]+, output chunk [0-9]+: it has [0-9]+ inputs? that' -w ALLREDUCE.txt --set algorithm.allreduce=file:wrong.xml
refuses 'algorithm.alltoall: found .ring' -w ALLTOALL.txt --set algorithm.alltoall=ring
refuses 'algorithms of files are simulated only' -w ALLREDUCE.txt --set algorithm.allreduce=file:ring.xml --backend physical

# ---- stopped by the clock again and again, on other numbers of ranks; not with a file that has changed -----------------------------------
work ALLTOALL 268435456
long=(-n rails.txt -w ALLTOALL.txt "${plain[@]}" --set algorithm.alltoall=file:two.xml --grain 1)
run "${long[@]}" -o long.h5
legs=0 limit=300 ranks=1
while :; do
  timeout 300 "${mpirun[@]}" -n $ranks "$heddle" run -q "${long[@]}" -o legs.h5 --max-wall ${limit}ms --restart auto > leg.txt 2>&1 < /dev/null
  code=$?
  [ $code = 85 ] || break
  if [ $legs = 0 ]; then
    cp two.xml kept.xml
    sed -i 's/name="two_step"/name="changed"/' two.xml
    timeout 60 "$heddle" run -q "${long[@]}" -o legs.h5 --restart auto > out 2>&1 < /dev/null
    [ $? -eq 3 ] && grep -q 'alltoall_digest' out || { fail 'a file that has changed'; cat out; }
    mv kept.xml two.xml
  fi
  legs=$((legs + 1)) limit=$((limit + 100)) ranks=$((ranks % 3 + 1))
  [ $legs -lt 40 ] || break
done
[ $code = 0 ] || { fail "restarts: exit code $code"; cat leg.txt; }
[ $legs -gt 0 ] || fail 'the run was not stopped'
"$heddle" compare -q long.h5 legs.h5 || fail 'another result after restarts'
end
