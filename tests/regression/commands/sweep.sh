#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle sweep without Slurm: which runs are executed and which skipped, figures compared with other readers of the same results,
# forwarded signals, exit codes.
# Usage: sweep.sh HEDDLE CASES MPIRUN...
set -u
heddle=$1 cases=$2
shift 2
mpirun=$*
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# figure NAME FILE: a column of the first line of a CSV file.
figure() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 2 { print $at[name] }' "$2"; }
# is NAME EXPECTED FOUND
is() { [ "$2" = "$3" ] || fail "$1: found '$3'. Expected: '$2'"; }

# ---- figures ---------------------------------------------------------------------------------------------------------
pauses=$cases/f_pfc_incast16_bs2_fixed
"$heddle" run -n "$pauses/topo.txt" --flows "$pauses/flows.txt" -c "$pauses/SimAI.conf" -q -o pauses.h5 || fail 'a run with pauses'
"$heddle" sweep --figures pauses.h5 > figures.csv || fail '--figures'
is 'flows' "$(head -1 "$pauses/flows.txt" | tr -d ' \r')" "$(figure finished_flows figures.csv)"
[ "$(figure pauses figures.csv)" -gt 0 ] || fail "pauses: $(cat figures.csv)"
if command -v h5dump > /dev/null; then
  sum=$(h5dump -y -w 1 -d /ports/pauses pauses.h5 | awk '/^ *[0-9]+,?$/ { sum += $1 } END { print sum }')
  is 'pauses' "$sum" "$(figure pauses figures.csv)"
fi
is 'drops' 0 "$(figure drops figures.csv)"

# ---- here: what is not complete, on several ranks --------------------------------------------------------------------
"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
cat > t.toml << 'END'
ranks = 2
[run]
topology = "topo.txt"
collective = "ALLREDUCE DP"
[vary]
size = ["64KiB", "1MiB"]
controller.enable = [false, true]
END
"$heddle" sweep t.toml --dry-run > dry.txt || fail '--dry-run'
is 'a dry run writes nothing' '' "$(ls t 2> /dev/null)"
is 'runs' '4 runs, 0 done' "$(tail -1 dry.txt)"
"$heddle" sweep t.toml --local --jobs 2 --launcher "$mpirun" > out.txt || { fail "--local: exit code $?"; tail -3 out.txt t/*.log; }
is 'lines' 4 "$(grep -c ': done$' out.txt)"
# The table at the end: the difference is to the run of the same size.
grep -q '^size  *enable  *step us  *exposed us  *busbw GB/s  *to the first$' out.txt || { fail 'the table'; cat out.txt; }
is 'lines of the table' 4 "$(grep -cE '^(64 KiB|1 MiB) +(true|false) ' out.txt)"
is 'differences' 2 "$(grep -cE ' [+-][0-9.]+ %$' out.txt)"
grep -q 'sweep t.toml --collect writes .*--plot busbw --x size --by controller.enable' out.txt || { fail 'the hint'; cat out.txt; }
rm t/1MiB_enable-true.h5
"$heddle" sweep t.toml --local --ranks 1 > out.txt || fail '--local again'
is 'only what is missing' '1MiB_enable-true: done' "$(grep ': done' out.txt)"
is 'and then nothing' 'nothing to do: every result is complete' "$("$heddle" sweep t.toml --local | head -1)"
# A result of what the table said before is not taken for one of what it says now, wherever it is called from.
(cd / && is 'from another folder' 'nothing to do: every result is complete' "$("$heddle" sweep "$work/t.toml" --local | head -1)" && [ $failures = 0 ]) ||
  failures=$((failures + 1))
cp t.toml was.toml
sed -i 's/^collective.*/&\npasses = 2/' t.toml
for mode in --local --slurm --collect; do
  "$heddle" sweep t.toml $mode > out.txt 2>&1
  [ $? = 3 ] && grep -q 'was made by .* not what t.toml says now' out.txt || { fail "another table, $mode"; cat out.txt; }
done
[ "$("$heddle" sweep t.toml --dry-run | grep -c '(done, but it was made by')" = 4 ] || fail 'another table, --dry-run'
mv was.toml t.toml
cp topo.txt was.txt
sed -i 's/ 0.0005ms/ 0.0006ms/' topo.txt
"$heddle" sweep t.toml --local > out.txt 2>&1
[ $? = 3 ] && grep -q 'topology_digest' out.txt || { fail 'another topology'; cat out.txt; }
mv was.txt topo.txt
is 'the same again' 'nothing to do: every result is complete' "$("$heddle" sweep t.toml --local | head -1)"
rm t/64KiB_enable-false.h5
"$heddle" sweep t.toml --collect > out.txt 2>&1 || { fail '--collect'; cat out.txt; }
states=$(tail -n +2 t/table.csv | awk -F, '{ ++n[$4] } END { print n["missing"], "missing", n["done"], "done" }')
is 'a table of' '1 missing 3 done' "$states"
is 'columns' 1 "$(awk -F, '{ print NF }' t/table.csv | sort -u | wc -l)"
awk -F, 'NR == 4 { exit !($5 > 0 && $6 > 0) }' t/table.csv || { fail 'completion and step'; cat t/table.csv; }
grep -q '^64 KiB  *false  *missing ' out.txt || { fail 'the table that is printed'; cat out.txt; }

# ---- one figure over one key ----------------------------------------------------------------------------------------------
"$heddle" sweep t.toml --collect --force --plot busbw --x size --by controller.enable > out.txt 2>&1 || { fail '--plot'; cat out.txt; }
is 'what is drawn' 'bus bandwidth [GB/s] by size' "$(head -1 out.txt)"
is 'curves' 'size enable false enable true' "$(sed -n 2p out.txt | tr -s ' ')"
# The values are those of the table.
/usr/bin/python3 - out.txt t/table.csv << 'END' || fail '--plot has other values than table.csv'
import csv, sys
lines = [line.split() for line in open(sys.argv[1]).read().splitlines()[2:4]]
rows = list(csv.DictReader(open(sys.argv[2])))
sizes = {"64 KiB": "65536", "1 MiB": "1048576"}
for line in lines:
    assert len(line) == 4, line
    for value, enable in zip(line[2:], ("false", "true")):
        row = next(r for r in rows if r["size"] == sizes[" ".join(line[:2])] and r["controller.enable"] == enable)
        expected = row["busbw_gbyte_per_s"]
        assert (value == "-" and not expected) or abs(float(value) - float(expected)) < 0.0056, (value, row)
END
if [ -e t/report.html ]; then
  grep -q '"plot":{[^}]*"title":"bus bandwidth"' t/report.html || fail 'the page does not draw it'
  grep -q '"64 KiB"' t/report.html || fail 'sizes of the page'
fi
"$heddle" sweep t.toml --collect --force --plot buswb > out.txt 2>&1
is 'a figure that is none' 2 $?
grep -q "no figure of the table is 'buswb'; the nearest is busbw" out.txt || { fail 'a figure that is none'; cat out.txt; }
"$heddle" sweep t.toml --collect --force --plot step --x sizes > out.txt 2>&1
is 'a key that is none' 2 $?
grep -q "nothing that varies is 'sizes'; the nearest is size" out.txt || { fail 'a key that is none'; cat out.txt; }

# ---- backends beside each other ----------------------------------------------------------------------------------------------
cat > backends.toml << 'END'
[run]
topology = "topo.txt"
collective = "ALLREDUCE DP"
size = "1MiB"
[vary]
backend = ["packet", "flow", "analytical"]
flow.congestion = ["marks", "none"]
END
"$heddle" sweep backends.toml --local > out.txt || { fail "backends: exit code $?"; tail -3 out.txt; }
is 'lines of backends' 6 "$(grep -cE '^(packet|flow|analytical) +(marks|none) ' out.txt)"
"$heddle" sweep backends.toml --collect > out.txt || fail 'backends: --collect'
for backend in packet flow analytical; do
  "$heddle" run -n topo.txt -w backends/inputs/*"$backend"_none.txt --backend $backend --set flow.congestion=none -o alone.h5 --force -q || fail "a run by $backend"
  "$heddle" compare alone.h5 backends/*"$backend"_none.h5 > compare.txt || { fail "$backend in a sweep and alone"; cat compare.txt; }
  is "flows of $backend" "$([ $backend = analytical ] && echo 0 || "$heddle" sweep --figures alone.h5 | awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "flows") at = i } NR == 2 { print $at }')" \
    "$(awk -F, -v backend=$backend 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 && $at["backend"] == backend && $at["flow.congestion"] == "none" { print $at["flows"] + 0 }' backends/table.csv)"
done
sed -i 's/"flow", /"fluid", /' backends.toml
"$heddle" sweep backends.toml --dry-run > out.txt 2>&1
[ $? = 3 ] && grep -q "found 'fluid'.*flow" out.txt || { fail 'a backend that is none'; cat out.txt; }

# ---- labels and lists that vary together ----------------------------------------------------------------------------------
cp topo.txt other.txt
cat > zip.toml << 'END'
[run]
collective = "all_reduce_perf DP"
[zip]
topology = ["topo.txt", "other.txt"]
passes = [1, 2]
label = ["one", "two"]
[vary]
size = ["64K", {value = "1M", label = "large"}]
transport.congestion_control = [1, "hpcc"]
END
"$heddle" sweep zip.toml --dry-run > out.txt || { fail 'labels'; cat out.txt; }
is 'names' 'one_64KiB_dcqcn one_64KiB_hpcc one_large_dcqcn one_large_hpcc two_64KiB_dcqcn two_64KiB_hpcc two_large_dcqcn two_large_hpcc' \
  "$(sed -n 's/^[0-7] //p' out.txt | tr '\n' ' ' | sed 's/ $//')"
sed -i 's/\[1, 2\]/[1, 2, 3]/' zip.toml
"$heddle" sweep zip.toml --dry-run > out.txt 2>&1
is 'lists of other lengths' 3 $?
grep -q "zip.toml:5: 'passes' has 3 values, 'topology' has 2. Expected: lists of one length" out.txt || { fail 'lists of other lengths'; cat out.txt; }

# ---- a run that fails does not stop the others, and is what the sweep ends with ---------------------------------------
echo '0s,link_down,0,16' > bad.csv  # a GPU has no other way to its server's switch, so messages wait for ever
echo '0s,link_down,0,18' >> bad.csv
echo '1s,node_down,0' > good.csv
cat > f.toml << 'END'
output = "f"
[run]
topology = "topo.txt"
collective = "ALLREDUCE DP"
size = 65536
[vary]
failures = ["bad.csv", "good.csv"]
END
"$heddle" sweep f.toml --local > out.txt
is 'exit code' 4 $?
is 'the other' 'good: done' "$(grep ': done$' out.txt)"
grep -q 'bad: ended with exit code 4; see f/bad.log' out.txt || { fail 'the one that fails'; cat out.txt; }
grep -q '^  .*did not come to the end' out.txt || { fail 'why it fails'; cat out.txt; }
"$heddle" sweep f.toml --collect > out.txt 2>&1
is 'exit code of --collect' 1 $?
grep -q '^bad: stalled: .*did not come to the end' out.txt || { fail 'why one stalled, collected'; cat out.txt; }
is 'states' 'bad stalled good done' "$(awk -F, 'NR > 1 { printf "%s%s %s", (NR > 2 ? " " : ""), $1, $3 }' f/table.csv)"
printf '#!/bin/sh\necho "heddle: no seat"\nexit 7\n' > no-seat
chmod +x no-seat
sed 's/"f"/"n"/' f.toml > n.toml
"$heddle" sweep n.toml --local --launcher "$work/no-seat" > out.txt
is 'exit code of both' 7 $?
is 'a reason of both' 1 "$(grep -c '^  no seat' out.txt)"
grep -q '^good: ended with exit code 7, as bad; see n/good.log' out.txt || { fail 'a reason of both'; cat out.txt; }
"$heddle" sweep n.toml --collect > out.txt 2>&1
is 'none is complete' 3 $?
grep -q '^bad, good: failed: no seat' out.txt || { fail 'why both failed'; cat out.txt; }

# ---- inputs are read before a folder is made --------------------------------------------------------------------------------
cp bad.csv well.csv
echo '1ms,nonsense' > wrong.csv
printf '1 ALLREDUCE 65536 DP\n' > workload.txt
# refuses CODE TEXT TABLE...: by each way to start runs; nothing is left.
refuses() {
  local expected=$1 text=$2 mode
  for mode in --dry-run --local --slurm; do
    printf 'output = "new"\n[run]\ncollective = "ALLREDUCE DP"\nsize = "64K"\n' | cat - <(printf "$3") > r.toml
    "$heddle" sweep r.toml $mode > out.txt 2>&1
    is "exit code of $2, $mode" "$expected" $?
    grep -qF -- "$text" out.txt || { fail "$2, $mode"; cat out.txt; }
    [ ! -e new ] || { fail "a folder was made, $mode"; rm -r new; }
  done
}
refuses 3 "r.toml: run 'wrong': wrong.csv:1" 'topology = "topo.txt"\n[vary]\nfailures = ["good.csv", "wrong.csv"]\n'
refuses 3 'it looks like a workload' 'topology = "workload.txt"\n'
refuses 3 'seed' 'topology = "topo.txt"\n[vary]\nseed = [1, -2]\n'
sed 's/"f"/"topo.txt"/' f.toml > r.toml
"$heddle" sweep r.toml --dry-run > out.txt 2>&1
is 'a file as the folder of results' 6 $?
grep -q 'topo.txt: is a file. Expected: a folder' out.txt || { fail 'a file as the folder of results'; cat out.txt; }

# ---- one that cannot be started: what runs is waited for, and the rest is not begun ---------------------------------------
sed 's/"f"/"g"/' f.toml > g.toml
mkdir g
ln -s nowhere/good.log g/good.log
cat > slow-bad << 'END'
#!/bin/sh
sleep 1
echo ended > "$PWD/slow.txt"
exit 3
END
chmod +x slow-bad
"$heddle" sweep g.toml --local --jobs 2 --launcher "$work/slow-bad" > out.txt 2>&1
is 'exit code' 6 $?
[ -e slow.txt ] || fail 'a process was left behind'
grep -q 'good.log: cannot be opened' out.txt || { fail 'one that cannot be started'; cat out.txt; }

# ---- signals are forwarded to the run, and the next sweep continues it -----------------------------------------------------------
cat > long.toml << 'END'
[run]
topology = "topo.txt"
collective = "ALLREDUCE DP"
size = "16MiB"
passes = 2000
record = "flows=none,timeline=none"
flush = "50ms"
engine.replay = "off"
END
"$heddle" sweep long.toml --local > out.txt & sweep=$!
for _ in {1..400}; do [ -e long/run.h5.part.rank0 ] && break; sleep 0.05; done
sleep 1
kill -USR2 "$sweep"
wait "$sweep"
is 'SIGUSR2' 85 $?
[ -e long/run.h5.ckpt ] || fail 'SIGUSR2: no checkpoint'
sed -i 's/2000/2/' long.toml
"$heddle" sweep long.toml --local > out.txt
is 'another table over a checkpoint' 3 $?
end
