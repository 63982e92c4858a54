#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `heddle serve`: requests of traces and laws, pools apart and mixed, transfers in closed form, as fluids and as
# packets, on any number of ranks; what it refuses. Usage: serve.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo Spectrum-X -g 16 -gps 8 -gt H100 -bw 400Gbps -nvbw 3600Gbps -o fabric.txt > /dev/null 2>&1 || exit 1
cat > apart.toml <<'END'
model = "llama-3.3-70b"
[[pool]]
role = "prefill"
tensor_parallel = 8
[[pool]]
role = "decode"
tensor_parallel = 8
END
printf 'model = "llama-3.3-70b"\n[[pool]]\ninstances = 2\ntensor_parallel = 8\n' > mixed.toml
cat > azure.csv <<'END'
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:17:03.9799600,4808,10
2023-11-16 18:17:04.0319600,3180,8
2023-11-16 18:17:04.0781490,110,27
END
# serve FLAG...: its text in serve.txt, transfers in closed form.
serve() { "$heddle" serve -n fabric.txt --backend closed-form "$@" > serve.txt 2> serve.err || { fail "serve $*"; cat serve.err; }; }
# refuses MESSAGE FLAG...: exit code 3 and the message.
refuses() {
  "$heddle" serve -n fabric.txt "${@:2}" > serve.txt 2> serve.err
  local code=$?
  [ $code -eq 3 ] || fail "exit code $code in place of 3: ${*:2}"
  grep -qF -- "$1" serve.err || { fail "no '$1' in:"; cat serve.err; }
}

serve -d apart.toml --requests azure.csv --csv requests.csv
grep -q '^requests         3 of 3 finished' serve.txt || { fail 'three requests'; cat serve.txt; }
grep -q 'priced by closed forms, each as if it were alone: no queues, no collisions' serve.txt || fail 'how transfers were priced'
[ "$(wc -l < requests.csv)" -eq 4 ] || fail 'a line a request'
# 4808 tokens in blocks of 16, each 327,680 bytes: 301 + 199 + 7 blocks.
grep -q "^KV sent          $(((301 + 199 + 7) * 16 * 327680)) bytes" serve.txt || { fail 'bytes of KV'; cat serve.txt; }
# Times of one request follow each other.
awk -F, 'NR > 1 { for (i = 8; i <= 14; ++i) if ($i < $(i - 1)) exit 1 }' requests.csv || { fail 'times that go backwards'; cat requests.csv; }
serve -d mixed.toml --requests azure.csv
grep -q '^KV' serve.txt && fail 'mixed instances send nothing'

# Twice as fast: the last request comes after half of 98.189 ms.
serve -d apart.toml --requests azure.csv --rate-scale 2 --csv fast.csv
[ "$(awk -F, 'NR == 4 { print $7 }' fast.csv)" = 49094500000 ] || { fail 'rate scale'; cat fast.csv; }
# Two in one tick of 3 s are 1.5 s apart.
for at in 0 0 3000; do echo "{\"timestamp\": $at, \"input_length\": 100, \"output_length\": 2, \"hash_ids\": [1]}"; done > mooncake.jsonl
serve -d apart.toml --requests mooncake.jsonl --spread --csv spread.csv
[ "$(awk -F, 'NR > 1 { printf "%s ", $7 }' spread.csv)" = '0 1500000000000 3000000000000 ' ] || { fail 'spread'; cat spread.csv; }

# Equal seeds draw equal requests.
law=gamma,shape=0.5,rate=4,count=50,input=uniform:100-2000,output=exponential:40
drawn=0
for seed in 1 1 2; do serve -d apart.toml --requests $law --seed $seed --csv - && mv serve.txt "seed.$((++drawn))"; done
cmp -s seed.1 seed.2 || fail 'one seed, two answers'
cmp -s seed.1 seed.3 && fail 'two seeds, one answer'

# ---- on the fabric ----
for backend in flow packet; do
  "$heddle" serve -n fabric.txt -d apart.toml --requests azure.csv --backend $backend -o $backend.h5 > $backend.txt 2>&1 || { fail "$backend"; cat $backend.txt; }
  grep -q '^requests         3 of 3 finished' $backend.txt || { fail "$backend: three requests"; cat $backend.txt; }
  grep -q "^KV sent          $(((301 + 199 + 7) * 16 * 327680)) bytes; transfers were messages on the fabric (backend $backend)" $backend.txt ||
    { fail "$backend: bytes of KV"; cat $backend.txt; }
  "$heddle" validate $backend.h5 > valid.txt || { fail "$backend: not valid"; cat valid.txt; }
  for ranks in 2 3; do
    "${mpirun[@]}" -n $ranks "$heddle" serve -n fabric.txt -d apart.toml --requests azure.csv --backend $backend -o ranks.h5 --force -- -q ||
      fail "$backend on $ranks ranks"
    "$heddle" compare -q $backend.h5 ranks.h5 || fail "$backend: another result on $ranks ranks"
  done
done
# What the first tokens waited for: parts add up.
"$heddle" analyze serve packet.h5 --json > late.json || fail 'analyze serve'
"$heddle" analyze serve packet.h5 > late.txt
grep -q '^request 0 ' late.txt && grep -q '^queue  ' late.txt || { fail 'late requests'; cat late.txt; }
awk -F': ' '/"all": {/ { on = 1 } on && /_ps"/ { gsub(",", "", $2); if ($1 ~ /first_token/) { all = $2; exit } else sum += $2 }
  END { exit !(sum > all * 0.999999 && sum < all * 1.000001) }' late.json || { fail 'parts of the first token'; cat late.json; }
"$heddle" analyze serve fabric.txt > out.txt 2>&1
[ $? -eq 3 ] || fail 'analyze serve of a topology'
# A request alone takes as long as its path: by fluids the transfer is that of closed forms, plus headers and latencies of software.
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n' > one.csv
serve -d apart.toml --requests one.csv --csv -
closed=$(awk -F, 'NR == 2 { printf "%.0f", $12 - $11 }' serve.txt)
"$heddle" run -n fabric.txt --serve apart.toml --requests one.csv --backend flow --json > one.json 2> one.err || { fail 'one request'; cat one.err; }
flow=$(sed -n '/"transfer": {/,/}/s/.*"mean_ps": \([0-9]*\).*/\1/p' one.json)
[ "$flow" -gt "$closed" ] && [ "$flow" -lt $((closed * 11 / 10)) ] || fail "a transfer takes $flow ps, in closed form $closed"
# Saved in the middle and continued on other ranks: the same result.
"${mpirun[@]}" -n 2 "$heddle" run -q -n fabric.txt --serve apart.toml --requests azure.csv --backend packet -o legs.h5 --checkpoint-at 180ms --max-wall 1h ||
  fail 'a run with a checkpoint'
"$heddle" compare -q packet.h5 legs.h5 || fail 'another result with a checkpoint'
# Another law is another run, whose result this is not.
for rate in 4 8; do
  "$heddle" run -q -n fabric.txt --serve apart.toml --requests constant,rate=$rate,count=3,input=100,output=2 --backend flow -o law.h5 --restart auto > out.txt 2>&1
  code=$?
  [ $rate -eq 4 ] && [ $code -ne 0 ] && { fail 'a law'; cat out.txt; }
  [ $rate -eq 8 ] && [ $code -eq 0 ] && { fail 'another law, the same result'; cat out.txt; }
done
"$heddle" run -n fabric.txt --serve apart.toml -o no.h5 > out.txt 2>&1
[ $? -eq 2 ] && grep -q 'there are no requests' out.txt || { fail '--serve without requests'; cat out.txt; }
"$heddle" run -n fabric.txt --requests azure.csv -w apart.toml > out.txt 2>&1
[ $? -eq 2 ] && grep -q 'Expected: --serve' out.txt || { fail '--requests without --serve'; cat out.txt; }
"$heddle" serve -n fabric.txt -d apart.toml --requests azure.csv -- --set controller.enable=true > out.txt 2>&1
[ $? -eq 3 ] && grep -q 'controller.enable=false' out.txt || { fail 'with a controller'; cat out.txt; }

# ---- steps that leave a server: their collectives are messages ----
printf 'model = "qwen3-30b-a3b"\n[[pool]]\ntensor_parallel = 16\nexpert_parallel = true\n' > wide.toml
wide=(-n fabric.txt --serve wide.toml --requests constant,rate=100,count=3,input=100,output=2)
for backend in flow packet; do
  "$heddle" run "${wide[@]}" --backend $backend -o wide.h5 --force > wide.txt 2>&1 || { fail "steps by $backend"; cat wide.txt; }
  # Two groups of 8, a token of 4,096 bytes: in each of 48 layers a token is 16 sixteenths in each half of an AllReduce, and half of its
  # 8 experts are on the other side, there and back. No size is rounded.
  sent=$(sed -n "s/^collectives .*; \([0-9]*\) bytes between servers as messages on the fabric (backend $backend).*/\1/p" wide.txt)
  [ "${sent:-0}" -eq $((303 * 48 * 4096 * (2 + 2 * 4))) ] || { fail "bytes of steps: $sent"; cat wide.txt; }
  "$heddle" validate wide.h5 > valid.txt || { fail "steps by $backend: not valid"; cat valid.txt; }
done
"${mpirun[@]}" -n 3 "$heddle" run -q "${wide[@]}" --backend packet -o ranks.h5 --force --checkpoint-at 20ms --max-wall 1h || fail 'steps on 3 ranks'
"$heddle" compare -q wide.h5 ranks.h5 || fail 'steps: another result on 3 ranks'
serve -d wide.toml --requests constant,rate=100,count=3,input=100,output=2
grep -q '^collectives .* priced by closed forms, between servers too: no queues, no collisions$' serve.txt || { fail 'steps in closed form'; cat serve.txt; }

# ---- KV that leaves before its prompt is computed: the same bytes, and no first token later ----
"$heddle" run -n fabric.txt --serve apart.toml --requests azure.csv --backend flow --json > end.json 2> /dev/null || fail 'KV at the end'
ttft() { sed -n '/"ttft": {/,/}/s/.*"mean_ps": \([0-9]*\).*/\1/p' "$1"; }
for when in chunk layer; do
  (echo "kv_transfer = \"$when\""; cat apart.toml) > $when.toml
  "$heddle" run -n fabric.txt --serve $when.toml --requests azure.csv --backend flow --json > $when.json 2> /dev/null || fail "KV by $when"
  [ "$(ttft $when.json)" -lt "$(ttft end.json)" ] || fail "KV by $when: TTFT $(ttft $when.json), at the end $(ttft end.json)"
  grep -q "\"kv_sent_bytes\": $(((301 + 199 + 7) * 16 * 327680))," $when.json || fail "KV by $when: other bytes"
done
[ "$(ttft layer.json)" -lt "$(ttft chunk.json)" ] || fail 'KV by layer is no sooner than by chunk'
(echo 'kv_transfer = "layer"'; sed 's/tensor_parallel = 8/tensor_parallel = 16/; s/role = "decode"/&\ngpus = "16-31"/' apart.toml) > late.toml
"$heddle" topo Spectrum-X -g 32 -gps 8 -gt H100 -bw 400Gbps -nvbw 3600Gbps -o wider.txt > /dev/null 2>&1 || exit 1
"$heddle" run -n wider.txt --serve late.toml --requests azure.csv > out.txt 2>&1
[ $? -eq 3 ] && grep -q 'late.toml:3: kv_transfer = "layer" of prefill instances whose collectives leave a server' out.txt || { fail 'layers of steps that send'; cat out.txt; }

# ---- routers, and prompts with equal fronts ----
# 24 requests of 1,324 tokens: of two blocks that three conversations have, and 300 tokens of their own.
for i in $(seq 0 23); do
  echo "{\"timestamp\": $((i * 5)), \"input_length\": 1324, \"output_length\": 4, \"hash_ids\": [$((i % 3 * 10)), $((i % 3 * 10 + 1)), $((100 + i))]}"
done > talks.jsonl
printf 'model = "llama-3.1-8b"\n[[pool]]\nrole = "prefill"\ninstances = 2\ntensor_parallel = 4\n[[pool]]\nrole = "decode"\ninstances = 2\ntensor_parallel = 4\n' > four.toml
for router in round-robin least-loaded kv-aware; do (echo "router = \"$router\""; cat four.toml) > $router.toml; done
(echo 'prefix_cache = false'; cat four.toml) > forgets.toml
cached() { sed -n 's/^prefix cache  *\([0-9]*\) of 31776 prompt tokens .*/\1/p' "$1"; }
serve -d four.toml --requests talks.jsonl --csv four.csv
grep -q '^router           round-robin (default)$' serve.txt || { fail 'the router by default'; cat serve.txt; }
# Tokens that were not computed are those of the requests; what was not sent was sent for others.
[ "$(awk -F, 'NR > 1 { sum += $16 } END { print sum }' four.csv)" -eq "$(cached serve.txt)" ] && [ "$(cached serve.txt)" -gt 0 ] || { fail 'cached tokens'; cat serve.txt; }
unsent=$(awk -F, 'NR > 1 { sum += $17 } END { print sum }' four.csv)
grep -q "^KV sent          $(((24 * 83 * 16 - unsent) * 131072)) bytes" serve.txt || { fail "$unsent tokens were not sent"; cat serve.txt; }
serve -d forgets.toml --requests talks.jsonl
grep -q '^prefix cache     off$' serve.txt && grep -q "^KV sent          $((24 * 83 * 16 * 131072)) bytes" serve.txt || { fail 'without a prefix cache'; cat serve.txt; }
serve -d four.toml --requests azure.csv
grep -q '^prefix cache     no hits: the requests do not name' serve.txt || { fail 'requests without blocks'; cat serve.txt; }
for router in least-loaded kv-aware; do
  for backend in flow packet; do
    "$heddle" run -n fabric.txt --serve $router.toml --requests talks.jsonl --backend $backend -o routed.h5 --force > routed.txt 2>&1 ||
      { fail "$router by $backend"; cat routed.txt; }
    grep -q "^router           $router" routed.txt && grep -q '^requests  *24 of 24 finished' routed.txt || { fail "$router by $backend: all served"; cat routed.txt; }
    "$heddle" validate routed.h5 > valid.txt || { fail "$router by $backend: not valid"; cat valid.txt; }
    "${mpirun[@]}" -n 3 "$heddle" run -q -n fabric.txt --serve $router.toml --requests talks.jsonl --backend $backend -o ranks.h5 --force \
      --grain 1 --checkpoint-at 90ms --max-wall 1h || fail "$router by $backend on 3 ranks"
    "$heddle" compare -q routed.h5 ranks.h5 || fail "$router by $backend: another result on 3 ranks"
  done
  mv routed.txt $router.txt
done
"$heddle" serve -n fabric.txt -d four.toml --requests talks.jsonl > turn.txt 2>&1
[ "$(cached kv-aware.txt)" -gt "$(cached turn.txt)" ] || { fail 'a router that looks at prefixes finds no more'; grep -h '^prefix' kv-aware.txt turn.txt; }
"$heddle" analyze serve routed.h5 > caches.txt
[ "$(awk '/^instance [0-9]/ && $3 == "prefill" { sum += $7 } END { print sum + 0 }' caches.txt)" -eq "$(cached kv-aware.txt)" ] || { fail 'hits by instance'; cat caches.txt; }
(cat four.toml; printf '[memory]\nblock_tokens = 48\n') > odd.toml
refuses 'Expected: block_tokens that divides 512, or prefix_cache = false' -d odd.toml --requests talks.jsonl
(echo 'router = "fastest"'; cat four.toml) > bad.toml
refuses 'bad.toml:1: router = "fastest". Expected: round-robin, least-loaded, kv-aware' -d bad.toml --requests talks.jsonl

# ---- beside a training job ----
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 20000000 0\n' > reduce.txt
beside=(-n wider.txt --serve apart.toml --requests azure.csv --job "workload=reduce.txt,gpus=0-3+8-11,start=180ms")
for backend in flow packet; do
  "$heddle" run "${beside[@]}" --backend $backend -o beside.h5 --force > beside.txt 2>&1 || { fail "beside a job by $backend"; cat beside.txt; }
  grep -q '^serves  *apart.toml: 2 instances, 3 requests' beside.txt && grep -q '^job 0  *reduce.txt: 8 GPUs' beside.txt &&
    grep -q '^requests  *3 of 3 finished' beside.txt || { fail "beside a job by $backend: who is there"; cat beside.txt; }
  "$heddle" validate beside.h5 > valid.txt || { fail "beside a job by $backend: not valid"; cat valid.txt; }
done
"${mpirun[@]}" -n 2 "$heddle" run -q "${beside[@]}" --grain 1 --backend packet -o ranks.h5 --force --checkpoint-at 190ms --max-wall 1h || fail 'beside a job on 2 ranks'
"$heddle" compare -q beside.h5 ranks.h5 || fail 'beside a job: another result on 2 ranks'
sed 's/role = "prefill"/&\ngpus = "8-15"/' apart.toml > clash.toml
"$heddle" run -n wider.txt --serve clash.toml --requests azure.csv --job "workload=reduce.txt,gpus=0-3+8-11" > out.txt 2>&1
[ $? -eq 3 ] && grep -q 'GPU 8 is in use. Expected: a GPU in one instance, and in no job' out.txt || { fail 'a GPU of a job'; cat out.txt; }

sed 's/3180/-5/' azure.csv > bad.csv
refuses 'bad.csv:3: ContextTokens -5. Expected: a number of tokens from 0' -d apart.toml --requests bad.csv
sed 's/18:17:04.0781/18:17:03.0781/' azure.csv > bad.csv
refuses 'bad.csv:4: time goes backwards' -d apart.toml --requests bad.csv
sed 's/ContextTokens/Tokens/' azure.csv > bad.csv
refuses "bad.csv:1: unknown column 'Tokens'" -d apart.toml --requests bad.csv
sed 's/tensor_parallel = 8/tensor_parallel = 1/' mixed.toml > bad.toml
refuses 'take 141.1 GB of each of 1 GPUs' -d bad.toml --requests azure.csv
sed 's/instances = 2/instances = 3/' mixed.toml > bad.toml
refuses "the fabric's 16 GPUs are used up" -d bad.toml --requests azure.csv
sed 's/instances/instance/' mixed.toml > bad.toml
refuses "bad.toml:3: unknown key 'instance' in [[pool]]; the nearest is instances" -d bad.toml --requests azure.csv
refuses 'it looks like a topology' -d fabric.txt --requests azure.csv
end
