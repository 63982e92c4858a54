#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle report: pages of small runs, of one and of two, opened in headless Chromium (report_browser.py): no complaint on the
# console, nothing fetched, charts that are there and not blank, in light and dark, at 1400 and 400 pixels of width. Texts of
# users are escaped, and errors of the command have their exit codes. "some": two of these four views of each page; "all": all.
# Usage: report.sh HEDDLE some|all ...     (exit code 77: skipped, no Chromium or no uPlot)
# shellcheck disable=SC2016
set -u
heddle=$1 views=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" report --licences > licences 2> err
if [ $? = 6 ]; then
  grep -q 'built without uPlot' err || { echo "FAILED  no word about uPlot: $(cat err)"; exit 1; }
  echo "SKIPPED: this program was built without uPlot, so that there are no pages (./bootstrap.sh setup fetches it)"
  exit 77
fi
grep -q 'Permission is hereby granted' licences || fail "no licence of uPlot"

# ---- results -------------------------------------------------------------------------------------------------------
"$heddle" topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2 -o fabric.txt 2> err || exit 1
run() { "$heddle" run -q -n fabric.txt "$@" 2> err || { fail "run $*: exit code $?"; cat err; }; }
"$heddle" trace --arrival poisson --rate 200000 --duration 1ms -n fabric.txt --kv-size 256KiB --out kv.csv
every=(--set monitor.kinds=all --set monitor.link_interval=10us --set monitor.queue_interval=5us)
run --trace kv.csv "${every[@]}" -o kv.h5
run --trace kv.csv "${every[@]}" --set controller.enable=true -o controller.h5
{ echo timestamp_ns,src,dst,size_bytes; for gpu in {0..7}; do echo "0,$gpu,8,524288"; done; } > incast.csv
run --trace incast.csv "${every[@]}" --set CC_MODE=0 --set HAS_WIN=0 --set BUFFER_SIZE=4 -o pfc.h5
run --trace incast.csv --set monitor.kinds=cast --set nic.qps_per_connection=4 --set requests.scheduler=cast-stripe \
  --set requests.send_recv_size=64KiB --set requests.size=64KiB --set cast.split_min=1 --set requests.in_flight=2 --set cast.update_interval=5us -o cast.h5
printf '1 ALLREDUCE 1048576 TP\n1 ALLREDUCE 4194304 TP\n1 ALLREDUCE 1048576 DP\n' > workload.txt
evil='<img src=x onerror="window.injected=9">.txt'
cp workload.txt "$evil"
run -w "$evil" -o workload.h5
evil_copy='<img src=x onerror="window.injected=9">.h5'
cp workload.h5 "$evil_copy"

# ---- pages ---------------------------------------------------------------------------------------------------------
page() { "$heddle" report "$@" > out 2> err || { fail "report $*: exit code $?"; cat err; }; }
page kv.h5 -o one.html
page pfc.h5 -o pfc.html
page cast.h5 -o cast.html
page workload.h5 "$evil_copy" --title '</script><script>window.injected=9</script>' -o workload.html
page kv.h5 controller.h5 -o two.html
page kv.h5 -o - > /dev/null
cmp -s out one.html || fail "the page on standard output is another"
# A sweep of more runs than a page has details of, and one of fewer.
cat > many.toml << 'END'
[run]
topology = "fabric.txt"
collective = "ALLREDUCE DP"
record = "flows=none,timeline=none"
[vary]
algorithm.allreduce = ["ring", "tree"]
size = ["4KiB", "64KiB", "1MiB"]
seed = [1, 2, 3]
END
sed 's/^seed.*//; s/^size.*/size = ["4KiB", "1MiB"]/' many.toml > few.toml
for table in many few; do
  "$heddle" sweep $table.toml --local > out 2> err || { fail "sweep $table: exit code $?"; cat err; }
  "$heddle" sweep $table.toml --collect > out 2> err || { fail "sweep $table --collect: exit code $?"; cat err; }
  mv $table/report.html $table.html
  grep -q 'report.html: [0-9]* runs$' out || { fail "sweep $table --collect says"; cat out; }
done
"$heddle" sweep few.toml --collect --force --plot 'step time' --x size --by algorithm.allreduce > out 2> err || { fail "--plot: exit code $?"; cat err; }
mv few/report.html plot.html
# Runs of other sizes are not compared with the first: there are no steps side by side, and no key figures.
grep -q '"same_traffic":false' few.html || fail 'few.html compares runs of other sizes'
[ ! -e many/report-2.html ] || fail "a sweep has a second page"
for name in one pfc cast workload two many few plot; do
  [ "$(wc -c < $name.html)" -lt 1000000 ] || fail "$name.html has $(wc -c < $name.html) bytes"
  grep -oiE '(src|href|action|url)[ ]*[=(][ ]*["'\'']?(https?:)?//[^"'\'' ]*' $name.html && fail "$name.html refers to another place"
  grep -q 'Permission is hereby granted' $name.html || fail "$name.html lacks the licence of uPlot"
  grep -q "$work" $name.html && fail "$name.html has a path of this machine"
done
grep -q '"headline":"The run takes [0-9.]* us for 8 flows: leaf 1 -[^ ]* server 1 / GPU 0 busiest, 9[0-9] % of the run' pfc.html || { fail "pfc.html says"; grep -o '"headline":"[^"]*' pfc.html; }
grep -q 'leaf 1 [^"]*\(->\|u003e\|to\) server 1 / GPU 0' pfc.html || fail "pfc.html does not name the congested link"

# ---- what it refuses -----------------------------------------------------------------------------------------------
# refuse CODE WORDS ARGUMENTS...
refuse() {
  local expected=$1 words=$2 code
  shift 2
  "$heddle" report "$@" > out 2> err < /dev/null
  code=$?
  [ $code = "$expected" ] || fail "report $*: exit code $code, expected $expected"
  grep -qE -- "$words" err || { fail "report $*: no '$words' in"; cat err; }
  [ ! -e new.html ] || { fail "report $*: wrote a page"; rm -f new.html; }
}
cp one.html kept.html
refuse 6 'one.html: exists' kv.h5 -o one.html
cmp -s kept.html one.html || fail "a refusal changed the page"
page kv.h5 -o one.html --force
refuse 6 'nowhere is not a directory' kv.h5 -o nowhere/new.html
refuse 3 'missing.h5: cannot be read' missing.h5 -o new.html
refuse 3 'kv.csv' kv.csv -o new.html
refuse 2 'no result' -o new.html
refuse 2 'no -o' kv.h5
refuse 3 'is another file of this command' kv.h5 -o kv.h5 --force
refuse 2 'at most 16' {1..17}.h5 -o new.html

# ---- how they look -------------------------------------------------------------------------------------------------
/usr/bin/python3 "$here/report_browser.py" --views "$views" one.html=fct,slowdown,link-load,queues pfc.html=fct,link-load,queues,pauses \
  cast.html=cast,cast-estimates,cast-bytes,cast-rates \
  workload.html=fct,slowdown,busbw,layers-0-0,layers-0-1,timeline-0,timeline-1 two.html=fct,slowdown,link-load-0,link-load-1,queues-0,queues-1,controller-1 \
  'many.html=sweep-0-busbw_ALLREDUCE of DP,sweep-0-step_0,sweep-1-step_0,sweep-2-step_0' \
  'few.html=sweep-0-step_0,sweep-1-busbw_ALLREDUCE of DP,sweep-1-step_0' plot.html=sweep-chosen-plot --use workload.html=steps,fabric,timeline
code=$?
[ $code = 0 ] || [ $code = 77 ] || fail "the pages do not look right"
echo "$failures failures"
[ $failures = 0 ] || exit 1
exit $code
