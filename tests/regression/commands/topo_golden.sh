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
  "$heddle" topo "$@" -o $name.txt 2> notes || { fail "$name: topo"; cat notes; return; }
  "$heddle" topo show $name.txt > $name.show || fail "$name: show"
  "$heddle" topo show $name.txt --dot - > $name.dot || fail "$name: show --dot -"
  "$heddle" topo show $name.txt --dot file.dot --force > with_file.show || fail "$name: show --dot FILE"
  cmp file.dot $name.dot && cmp with_file.show $name.show || fail "$name: --dot FILE and --dot - differ"
  for kind in txt show dot; do against $name.$kind; done
  if command -v dot > /dev/null; then dot -Tsvg $name.dot > /dev/null || fail "$name: Graphviz refuses the picture"; fi
}
same() {  # same "FLAGS" "FLAGS": two ways to say one thing
  "$heddle" topo $1 -o one 2> one.notes && "$heddle" topo $2 -o two 2> two.notes && cmp one two && cmp one.notes two.notes &&
    echo "same bytes: $1 | $2 ($(wc -c < one))" || fail "'$1' and '$2' differ"
  rm -f one two
}

small controller DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2
small dual_plane AlibabaHPN-DualPlane -g 16 -gps 8 -asn 16 -npa 2 -psn 4 -app 8
small rail Spectrum-X -g 16 -gps 4 -npa 4 -asn 4 -psn 2

size='-g 64 -asn 16 -npa 16 -psn 16'
same "-topo AlibabaHPN --dp $size" "AlibabaHPN-DualPlane $size"
same "-topo AlibabaHPN $size" "AlibabaHPN-SinglePlane $size"
same "-topo DCN+ $size" "DCN-SingleToR $size"
same "-topo DCN+ --dt $size" "DCN-DualToR $size"
same "-topo Spectrum-X $size" "Spectrum-X $size"
same "--topology=Spectrum-X --gpu=64" "Spectrum-X -g 64"
end
