// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of command lines, values of flags and environment variables. An input is words; the first
/// selects the reader of the others.
#include <sstream>
#include <utility>

#include "collectives/job/gpu_list.h"
#include "collectives/job/job.h"
#include "collectives/job/placement.h"
#include "core/app/base/cli/command_description.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/wall_time.h"
#include "core/app/run/arguments/recording.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/setup/environment.h"
#include "core/app/views/inspect/template_flags.h"
#include "core/app/views/traces/trace_arguments.h"
#include "core/app/views/workload/workload_arguments.h"
#include "core/base/units.h"
#include "io/plan/plan_file.h"
#include "partition/partition.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"
#include "tests/fuzz/readers/option_fixture.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

bool AsksForHelp(const Words& words) {
  for (const std::string& word : words) {
    if (word == "--help" || word.rfind("-h", 0) == 0 || word == kDescribeYourself) return true;
  }
  return false;
}

void ReadJob(const std::string& text) {
  const JobSpec spec = ParseJobSpec(text);
  const auto places = PlaceJobs({spec}, SmallGraph(), 1);
  if (places.size() != 1 || places[0].empty()) Complain("a job without GPUs");
  for (const NodeId gpu : places[0]) {
    if (!SmallGraph().is_gpu(gpu)) Complain("a job on a node that is no GPU");
  }
}

/// Reads NAME=VALUE ...; options set by variables must then have valid values.
void ReadEnvironment(const Words& words) {
  Environment environment;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    environment.emplace_back(word.substr(0, equals),
                             equals < word.size() ? word.substr(equals + 1) : "");
  }
  OptionFixture all;
  std::vector<std::string> echo, warnings;
  ApplyEnvironment(environment, &all.options, &echo, &warnings);
  CheckOptionsRoundTrip(all.options);
}

/// A value that is read, printed and read again must be unchanged.
template <class Value>
void ReadUnits(Value (*parse)(std::string_view), const std::string& text) {
  const Value value = parse(text);
  const std::string shown = ToText(value);
  if (parse(shown) != value) Complain("a value that is not the same when it is shown: " + shown);
}

void Read(const std::string& reader, const Words& words) {
  const std::string first = words.empty() ? "" : words[0];
  if (reader == "run" && !AsksForHelp(words)) {
    RunArguments run;
    ParseRunArguments(words, &run);
  } else if (reader == "trace" && !AsksForHelp(words)) {
    TraceArguments given;
    if (ParseTraceArguments(words, &given)) CheckTraceFlags(given, ReadPattern(given.arrival));
  } else if (reader == "workload" && !AsksForHelp(words)) {
    WorkloadArguments given;
    if (!ParseWorkloadArguments(words, &given)) return;
    given.request.compute_table.clear();
    if (!IsPlanFile(given.family)) PlanOf(given, RequestOf(given));
  } else if (reader == "topo") {
    ParseTemplateFlags(words);
  } else if (reader == "job") {
    ReadJob(first);
  } else if (reader == "wall") {
    if (!(ParseWallTime("--flush", first) > 0)) Complain("a time that is not above 0");
  } else if (reader == "grain") {
    ParseGrain(first);
  } else if (reader == "record") {
    ParseRecording(words);
  } else if (reader == "env") {
    ReadEnvironment(words);
  } else if (reader == "time") {
    ReadUnits<Time>(&ParseTime, first);
  } else if (reader == "rate") {
    ReadUnits<BitRate>(&ParseBitRate, first);
  } else if (reader == "bytes") {
    if (ParseBytes(first).count < 0) Complain("a negative size");
  }
}

bool Check(const std::string& input) {
  std::istringstream text(input);
  std::string reader;
  Words words;
  text >> reader;
  for (std::string word; text >> word;) words.push_back(word);
  return Accepts({"", /*remedy=*/false, /*usage=*/true}, [&] { Read(reader, words); });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "command_line";
  reader.check = &Check;
  reader.seeds = {
      "run -n fabric.txt -w load.txt -o out.h5 --set dcqcn.gain=0.5 --seed 7 --passes 2",
      "run -n f --job workload=a,gpus=0-1 --job workload=b,start=5us --engine domain --partition "
      "metis --grain 24",
      "run -n f --trace t.csv -o r.h5 --checkpoint-every 10min --checkpoint-at 5us --max-wall "
      "01:50:00 --restart auto",
      "run -n f --flows h.txt --flush 30s --record flows=sample:100 --record timeline=none "
      "--lookahead 500ns --quiet",
      "trace --topology t --arrival poisson --rate 1000 --duration 1ms --kv-size 1MiB -o x",
      "trace --servers 16 --gpus-per-server 8 --arrival burst --burst-size 8 --burst-interval 10us "
      "--flows 64 --seed 3",
      "workload gpt --gpus 512 --tp 8 --pp 2 --global-batch 512 --layers 4 --scale -o x",
      "workload moe --model deepseek-v3 --gpus 64 --ep 8 --hidden 4096 --efficiency 0.5 --no-zero",
      "topo -topo Spectrum-X -g 128 -gps 8 -gt H100 -bw 400Gbps -nvbw 2880Gbps -o out.txt",
      "topo --ro --dt --dp -g 64 -er 0.01 -l 0.0005ms",
      "job workload=a.txt,gpus=0-3,start=1us,placement=packed,passes=3",
      "job workload=a,gpus=3-3+0-2,placement=list",
      "job workload=a,gpus=2,placement=random",
      "wall 01:50:00",
      "wall 1-02:03:04",
      "wall 90s",
      "wall 500ms",
      "grain auto",
      "grain 24",
      "record flows=all timeline=all",
      "record flows=sample:7",
      "env AS_SEND_LAT=6 AS_NVLS_ENABLE=1 NCCL_ALGO=ring;allreduce:tree NCCL_PROTO=^LL128 "
      "NCCL_PXN_DISABLE=1",
      "env NCCL_ALGO=^nvls,tree NCCL_NVLS_ENABLE=0 AS_LOG_LEVEL=INFO",
      "time 850.3us",
      "time 1e-6s",
      "rate 400Gbps",
      "rate 2.5Tbps",
      "bytes 16MiB",
      "bytes 4096"};
  for (const std::string& seed : reader.seeds) {
    std::istringstream text(seed);
    for (std::string word; text >> word;) reader.words.push_back(word);
  }
  return reader;
}

}  // namespace heddle
