#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `heddle topo show` (and --dot) of small fabrics compared with the files in golden/; and SimAI's flags compared with heddle's.
# Usage: topo_golden.sh HEDDLE GOLDEN      HEDDLE_REFRESH=1 rewrites the goldens (ctest -R golden); review the diff then.
set -u
heddle=$1 golden=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

against() {  # against FILE: what was written here, with the golden of that name
  if [ "${HEDDLE_REFRESH:-0}" = 1 ]; then
    cp "$1" "$golden/$1" && echo "refreshed $golden/$1"
  elif [ ! -f "$golden/$1" ]; then
    fail "no golden $golden/$1 (HEDDLE_REFRESH=1 writes it)"
  else
    diff -u "$golden/$1" "$1" && echo "equal: $1" || fail "$1 differs from its golden"
  fi
}
small() {  # small NAME FLAGS...: the fabric's text, its description and its picture
  local name=$1
  shift
  "$heddle" topo "$@" -o $name.txt > $name.made 2> notes || { fail "$name: topo"; cat notes; return; }
  "$heddle" topo show $name.txt > $name.show || fail "$name: show"
  "$heddle" topo show $name.txt --dot - > $name.dot || fail "$name: show --dot -"
  "$heddle" topo show $name.txt --dot file.dot --force > with_file.show || fail "$name: show --dot FILE"
  cmp $name.made $name.show || fail "$name: topo does not print what topo show prints"
  cmp file.dot $name.dot && cmp with_file.show $name.show || fail "$name: --dot FILE and --dot - differ"
  for kind in txt show dot; do against $name.$kind; done
  if command -v dot > /dev/null; then dot -Tsvg $name.dot > /dev/null || fail "$name: Graphviz refuses the picture"; fi
}
same() {  # same "FLAGS" "FLAGS": two ways to say one thing
  "$heddle" topo $1 -o one > /dev/null 2> one.notes && "$heddle" topo $2 -o two > /dev/null 2> two.notes && cmp one two && cmp one.notes two.notes &&
    echo "same bytes: $1 | $2 ($(wc -c < one))" || fail "'$1' and '$2' differ"
  rm -f one two
}

small controller DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2
small dual_plane AlibabaHPN-DualPlane -g 16 -gps 8 -asn 16 -npa 2 -psn 4 -app 8
small rail Spectrum-X -g 16 -gps 4 -npa 4 -asn 4 -psn 2
small dragonfly Dragonfly -a 2 -gl 1 -p 2 -gdl 1us -rates 400Gbps,200Gbps
small tree FatTree -down 4x2x2 -over 2x1 -cables 1x1x2

size='-g 64 -asn 16 -npa 16 -psn 16'
same "-topo AlibabaHPN --dp $size" "AlibabaHPN-DualPlane $size"
same "-topo AlibabaHPN $size" "AlibabaHPN-SinglePlane $size"
same "-topo DCN+ $size" "DCN-SingleToR $size"
same "-topo DCN+ --dt $size" "DCN-DualToR $size"
same "-topo Spectrum-X $size" "Spectrum-X $size"
same "--topology=Spectrum-X --gpu=64" "Spectrum-X -g 64"

# Notes of what is not even; a ratio that was asked for is none.
note() {  # note LINES FLAGS...: notes about ratios
  local lines=$1 found
  shift
  "$heddle" topo "$@" > t.txt 2> notes || fail "topo $*"
  grep -q '^leaf .* : 1$' notes || fail "topo $*: no summary on standard error beside a topology on standard output"
  found=$(grep -c 'note: leaf: .* outside .* change it' notes)
  [ "$found" = "$lines" ] || { fail "topo $*: $found notes about ratios, expected $lines"; cat notes; }
}
note 1 Spectrum-X -g 256
note 1 DCN-DualToR -g 256
note 0 DCN-DualToR -g 256 --oversubscription 1
note 0 DCN-DualToR -g 256 --oversubscription 4
note 0 Spectrum-X -g 64 -psn 8

# Shapes by number of GPUs: the sizes are named, the GPUs exact, and the last note is that of servers without NVLink.
by_number() {  # by_number SIZES FLAGS...
  local sizes=$1
  shift
  "$heddle" topo "$@" --gpus 512 -o n.txt --force > n.show 2> n.notes || { fail "topo $*"; cat n.notes; }
  grep -q "note: .*: 512 GPUs are $sizes" n.notes || { fail "topo $*: not $sizes"; cat n.notes; }
  grep -q '^servers *64 of 8 GPUs' n.show || { fail "topo $*"; head -5 n.show; }
  grep -q 'have no NVLink' n.notes && fail "topo $*: a note about NVLink"
}
by_number '-down 16x32 -up 1x8' fat-tree --oversubscription 2
by_number '-dims 8x8x8 -gpn 1' torus
by_number '-a 8 -gl 4 -p 4 -groups 16' dragonfly
"$heddle" topo dragonfly -o d.txt 2>&1 > d.show | grep -q 'note: servers of 2 GPUs have no NVLink; -gps 8' || fail 'no note about servers without NVLink'
[ "$("$heddle" topo --help | wc -l)" -le 40 ] || fail 'topo --help is more than a screen'

# NVLinks at the rate that kernels reach, shared out to the NVSwitches, unless -nvbw is given.
nvlink() {  # nvlink TEXT NOTES FLAGS...: the line of NVLinks, the number of notes about them
  local text=$1 notes=$2
  shift 2
  "$heddle" topo "$@" -o b.txt --force > b.show 2> b.notes || fail "topo $*"
  grep -q "GPU - NVSwitch  *$text," b.show || { fail "topo $*: no NVLinks of $text"; cat b.show; }
  [ "$(grep -c 'note: NVLinks: ' b.notes)" = "$notes" ] || { fail "topo $*: not $notes notes about NVLinks"; cat b.notes; }
}
nvlink '64 x 5508Gbps' 1 Spectrum-X -g 64 -gt B200
nvlink '64 x 2880Gbps' 0 Spectrum-X -g 64 -gt B200 -nvbw 2880Gbps
nvlink '64 x 2880Gbps' 0 Spectrum-X -g 64 -gt H100
nvlink '1296 x 612Gbps' 1 Spectrum-X -g 144 -gt GB200 -gps 72 -nsps 9 -app 72
nvlink '2592 x 306Gbps' 0 ScaleUp
nvlink '1296 x 612Gbps' 1 ScaleUp -nsps 9
nvlink '64 x 1900Gbps' 1 Spectrum-X -g 64 -gt A100 --oversubscription 1
nvlink '64 x 2880Gbps' 1 Spectrum-X -g 64 -gt A100

# Two racks of NVL72 with NICs of 800 Gbps (docs/formats/topology.md): NVLS, and ECN thresholds by rule.
"$heddle" topo Spectrum-X -g 144 -gt GB200 -gps 72 -nsps 9 -nvbw 800Gbps -bw 800Gbps -app 72 -npa 2 -psn 2 -apbw 800Gbps \
  -o nvl72.txt > nvl72.show 2> notes || fail 'NVL72: topo'
grep -q 'GPU type' notes && fail 'GB200 is not known'
echo '1 ALLREDUCE 1048576 TP' > tp.txt
"$heddle" run -n nvl72.txt -w tp.txt --set collective.nvls=true > nvl72.log || fail 'NVL72: run'
grep -q '^ *ALLREDUCE  *TP  *NVLS_MULTIMEM  *72 ' nvl72.log || fail 'NVL72: no NVLS'
grep -q '^transport  *ECN at 800Gbps: kmin 1600 KB, kmax 6400 KB' nvl72.log || fail 'NVL72: no thresholds for 800 Gbps'
end
