// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/simai_workload.h"

#include <fmt/format.h>

#include <limits>

#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/simai/workload_header.h"
#include "io/simai/workload_layer.h"
#include "io/simai/workload_words.h"

namespace heddle {
namespace {

constexpr const char* kForms =
    "a policy (MICRO, DATA, HYBRID_TRANSFORMER_FWD_IN_BCKWD, ...), or lines `passes OPERATION "
    "bytes [GROUP]`";
/// Most layers of a file without a header, in which a line's number of passes gives the number of
/// its layers.
constexpr std::int64_t kMostMicroLayers = 100'000;

/// The next line that is not blank and not only a comment; false at the end.
bool NextLine(LineReader* lines, std::string_view* line) {
  while (lines->NextFilled(line)) {
    *line = WithoutComment(*line);
    if (!line->empty()) return true;
  }
  return false;
}

std::int64_t ReadLayerCount(LineReader* lines) {
  std::string_view line;
  if (!NextLine(lines, &line)) {
    FailInput(lines->whole_file(), "the file ends behind its header",
              "the number of layers, then the layers");
  }
  WorkloadWords words(line, *lines);
  const std::int64_t count =
      words.Number("number of layers", 1, std::numeric_limits<std::int64_t>::max());
  words.End();
  return count;
}

/// Number of layers not yet read, including the current line.
std::int64_t CountLayers(LineReader lines) {
  std::int64_t count = 1;
  std::string_view line;
  while (NextLine(&lines, &line)) ++count;
  return count;
}

void ReadLayers(LineReader* lines, Workload* workload) {
  const std::int64_t announced = ReadLayerCount(lines);
  const std::string expected = fmt::format("{} layer{}, as line {} says", announced,
                                           announced == 1 ? "" : "s", lines->number());
  workload->announced_layers = announced;
  std::string_view line;
  while (NextLine(lines, &line)) {
    if (static_cast<std::int64_t>(workload->layers.size()) == announced) {
      FailInput(lines->where(), fmt::format("{} layers", announced + CountLayers(*lines)),
                expected);
    }
    workload->layers.push_back(ReadWorkloadLayer(line, *lines, workload->policy));
  }
  if (workload->layers.empty()) FailInput(lines->where(), "the file ends after 0 layers", expected);
}

/// A line `passes OPERATION bytes [GROUP]`: adds one layer for each pass.
void AddMicroLayers(std::string_view line, const LineReader& lines, Workload* workload) {
  WorkloadWords words(line, lines);
  const std::int64_t passes = words.Number("passes", 1, kMostMicroLayers);
  Layer layer;
  layer.line = lines.number();
  LayerPhase& phase = layer.weight_gradient;
  phase.operation = words.OperationOf("operation");
  phase.bytes = words.BytesOf("bytes", 1);
  const std::string_view group = words.Next();
  if (!group.empty()) {
    phase.group = words.GroupOf(group, "group");
    words.End();
  }
  layer.name = fmt::format("{}_{}", ToText(phase.operation), phase.bytes);
  if (passes > kMostMicroLayers - static_cast<std::int64_t>(workload->layers.size())) {
    FailInput(lines.where(),
              fmt::format("{} passes in all",
                          passes + static_cast<std::int64_t>(workload->layers.size())),
              fmt::format("at most {} passes in all lines together", kMostMicroLayers));
  }
  workload->layers.insert(workload->layers.end(), static_cast<std::size_t>(passes), layer);
}

void ReadMicroBenchmark(std::string_view line, LineReader* lines, Workload* workload) {
  workload->policy = Policy::kMicro;
  workload->named_groups = true;
  do {
    AddMicroLayers(line, *lines, workload);
  } while (NextLine(lines, &line));
}

bool StartsWithNumber(std::string_view line) {
  const std::size_t sign = line.front() == '-' || line.front() == '+' ? 1 : 0;
  return line.size() > sign && line[sign] >= '0' && line[sign] <= '9';
}

}  // namespace

Workload ParseSimaiWorkload(std::string_view text, const std::string& name) {
  LineReader lines(text, name);
  Workload workload;
  workload.name = name;
  std::string_view line;
  if (!NextLine(&lines, &line)) FailInput(lines.whole_file(), "no workload in it (empty)", kForms);
  if (StartsWithNumber(line)) {
    ReadMicroBenchmark(line, &lines, &workload);
    return workload;
  }
  const SourceLine header = lines.where();
  WorkloadWords words(line, lines);
  const std::string_view policy = words.Next();
  if (!FindPolicy(policy, &workload.policy)) {
    words.Fail(fmt::format("unknown policy {}", Quote(policy)), kForms + NearestPolicy(policy));
  }
  ReadWorkloadHeader(&words, &workload);
  ReadLayers(&lines, &workload);
  CheckNamedLayers(workload, header);
  return workload;
}

Workload ReadSimaiWorkload(const std::string& path) {
  return ReadAs(FileKind::kWorkload, path,
                [&] { return ParseSimaiWorkload(ReadTextFile(path), path); });
}

}  // namespace heddle
