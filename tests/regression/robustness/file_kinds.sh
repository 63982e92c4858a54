#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Files of other programs, each given where another kind belongs: exit code 3 and one line that names what it is, without its bytes.
# Usage: file_kinds.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# A fabric and a workload that are right: what is wrong is the other file.
"$heddle" topo DCN-SingleToR -g 4 -gps 2 -psn 2 -npa 4 -app 4 -asn 3 -o fabric.txt > made 2>&1 || fail "no fabric"
printf '1 ALLREDUCE 4000 DP\n' > good.work

# expect NAME PATTERN word...: heddle ends with 3 and one line with the pattern.
expect() {
  local name=$1 pattern=$2 code
  shift 2
  timeout 60 "$heddle" "$@" > output 2>&1
  code=$?
  [ $code = 3 ] || fail "$name: exit code $code: $(head -c 300 output)"
  [ "$(wc -l < output)" = 1 ] || fail "$name: $(wc -l < output) lines"
  grep -qE "$pattern" output || fail "$name: no '$pattern' in: $(cat output)"
  LC_ALL=C grep -qP '[^\n\x20-\x7e]|\\x' output && fail "$name: bytes of the file in: $(cat output)"
}
# kind FILE WORDS [network|flows|times|program]: what the file looks like, given as what it is not; the third word says what it is.
kind() {
  local file=$1 words="\\(it looks like $2"
  [ "${3-}" = program ] || expect "$file as a workload" "$words" run -n fabric.txt -w "$file"
  expect "$file as a workload of SimAI's program" "$words" analytical -w "$file" -g 4
  [ "${3-}" = network ] || expect "$file as a topology" "$words" run -n "$file" -w good.work
  [ "${3-}" = network ] || expect "$file to be shown" "$words" topo show "$file"
  [ "${3-}" = network ] || expect "$file to be divided" "$words" partition "$file" --ranks 2
  [ "${3-}" = network ] || expect "$file for its congestion" "$words" congestion "$file"
  expect "$file as a configuration" "$words" run -n fabric.txt -w good.work -c "$file"
  expect "$file as tables" "$words" run -n fabric.txt -w good.work --tables "$file"
  expect "$file as tables to be checked" "$words" topo route fabric.txt --check "$file"
  expect "$file as a profile" "$words" run -n fabric.txt -w good.work --weights "$file"
  expect "$file as pairs" "$words" congestion fabric.txt --pattern "pairs:$file"
  expect "$file as a result" "$words" report "$file" -o page.html
  expect "$file as a trace" "$words" run -n fabric.txt --trace "$file"
  [ "${3-}" = flows ] || expect "$file as flows" "$words" run -n fabric.txt --flows "$file"
  expect "$file as failures" "$words" run -n fabric.txt -w good.work --failures "$file"
  expect "$file as a calibration" "$words" run -n fabric.txt -w good.work --backend analytical --calibration "$file"
  expect "$file as a table of runs" "$words" sweep --dry-run "$file"
  [ "${3-}" = times ] || expect "$file as times" "$words" calibrate "$file"
  [ "${3-}" = times ] || expect "$file as measured times" "$words" bench all_reduce -n fabric.txt --measured "$file"
  echo "ok  $file"
}

none=': heddle does not read it yet\)$'
printf '\x07\x0a\x050.0.4\x0b\x08\x07\x12\x04gemm\x18\x04\x00' > trace.0.et
kind trace.0.et 'an execution trace of Chakra: heddle run --chakra PREFIX, heddle trace show PREFIX\)$' program
printf '\x07\x0a\x050.0.4\x0b\x08\x07\x12\x04gemm\x18\x04\x00' | gzip > small.0.et
kind small.0.et 'an execution trace of Chakra, compressed with gzip: heddle run --chakra PREFIX, heddle trace show PREFIX\)$' program
printf '{\n  "schema": "1.1.1-chakra.0.0.4",\n  "nodes": [\n' > host.json
kind host.json "an execution trace of PyTorch or Chakra in JSON$none"
printf '{\n  "schemaVersion": 1,\n  "deviceProperties": [\n' > profile.json
kind profile.json "a trace of PyTorch's profiler$none"
printf 'num_ranks 1\n\nrank 0 {\nl1: calc 10\n}\n' > small.goal
kind small.goal "a schedule in GOAL: heddle run --goal FILE, heddle trace show FILE"
printf '\x7f\x10\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00' > small.bin
kind small.bin "a binary schedule of GOAL: heddle run --goal FILE, heddle trace show FILE"
printf 'Nodes 4\nConnections 1\n0->3 id 1 start 0 size 4096\n' > one.cm
kind one.cm 'a connection matrix of htsim: heddle run --flows FILE\)$' flows
printf 'Nodes 4\nTiers 2\nPodsize 4\n' > small.topo
kind small.topo 'a topology of htsim: heddle run -n FILE\)$' network
printf '<algo name="ring" nchannels="1">\n' > ring.xml
kind ring.xml "an algorithm of MSCCL: heddle run --set algorithm.OPERATION=file:FILE"
printf '<system version="1">\n  <cpu numaid="0">\n' > server.xml
kind server.xml "a server's topology of NCCL: heddle run -n FILE\\)\$" network
printf '<graphs version="1">\n' > graph.xml
kind graph.xml "a graph of NCCL's channels$none"
printf '<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">\n' > machine.xml
kind machine.xml "a machine's topology of hwloc \(lstopo\)$none"
printf '# leaves\nSwitchName=s0 Nodes=n[0-3]\n' > topology.conf
kind topology.conf "a topology\.conf of Slurm$none"
printf 'name: pod\ndevices:\n- name: host\n  components: []\ninstances: []\n' > pod.yaml
kind pod.yaml 'an infrastructure of InfraGraph: heddle run -n FILE\)$' network
printf '# nThread 1 nGpus 8 minBytes 8\n# size\n 8 2 float sum -1 5.1 0.0 0.0 0\n' > times.log
kind times.log 'a log of nccl-tests: heddle calibrate FILE, heddle bench --measured FILE\)$' times
printf 'text\n' | gzip > notes.gz
kind notes.gz 'a file compressed with gzip: unpack it with gunzip\)$'
printf 'PK\x03\x04\x14\x00\x00\x00\x08\x00notes.txt' > notes.zip
kind notes.zip 'a zip archive: unpack it with unzip\)$'
end
