// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/hpcc_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/input/file_kind.h"
#include "io/input/flow_fields.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::size_t kFlowColumns = 6;
using FlowRow = std::array<std::string_view, kFlowColumns>;

FlowRow SplitFlow(std::string_view line, const LineReader& lines) {
  FlowRow row;
  std::size_t count = 0;
  for (std::string_view word = TakeWord(&line); !word.empty(); word = TakeWord(&line)) {
    if (count < kFlowColumns) row[count] = word;
    ++count;
  }
  if (count != kFlowColumns) {
    FailInput(lines.where(), fmt::format("{} column{}", count, count == 1 ? "" : "s"),
              fmt::format("{} columns, src dst pg dport bytes start_s", kFlowColumns));
  }
  return row;
}

Time RoundToNanosecond(Time t) {
  const std::int64_t rest = t.ps % 1000;
  return {rest < 500 ? t.ps - rest : t.ps - rest + 1000};
}

std::uint8_t ReadPriority(std::string_view field, const FlowFields& fields,
                          const LineReader& lines) {
  const std::int64_t priority = fields.ReadNumber(field, "pg (priority)", 0, 7);
  if (priority == 0) {
    FailInput(lines.where(), "pg (priority) \"0\", which carries control frames",
              "a priority for data, 1 to 7 (SimAI uses 3)");
  }
  return static_cast<std::uint8_t>(priority);
}

FlowRequest ReadFlow(std::string_view line, const FlowFields& fields, const LineReader& lines) {
  const FlowRow row = SplitFlow(line, lines);
  FlowRequest flow;
  fields.ReadEnds(row[0], row[1], &flow.source, &flow.destination);
  flow.priority = ReadPriority(row[2], fields, lines);
  flow.destination_port =
      static_cast<std::uint16_t>(fields.ReadNumber(row[3], "destination port", 0, 65535));
  flow.size = fields.ReadSize(row[4]);
  flow.start = RoundToNanosecond(fields.ReadTime(row[5], "s"));
  flow.send_latency = false;
  return flow;
}

/// Number of remaining flows, including the current line.
std::int64_t CountFlows(LineReader lines) {
  std::int64_t count = 1;
  std::string_view line;
  while (lines.NextFilled(&line)) count += line.front() >= '0' && line.front() <= '9' ? 1 : 0;
  return count;
}

}  // namespace

std::vector<FlowRequest> ParseHpccFlows(std::string_view text, const std::string& name,
                                        const Graph& graph) {
  LineReader lines(text, name);
  const FlowFields fields(graph, lines);
  std::string_view line;
  if (!lines.NextFilled(&line)) {
    FailInput(lines.whole_file(), "an empty file", "the number of flows on the first line");
  }
  const std::int64_t announced = fields.ReadNumber(line, "number of flows", 1, 4'000'000'000);
  std::vector<FlowRequest> flows;
  while (lines.NextFilled(&line)) {
    if (static_cast<std::int64_t>(flows.size()) < announced) {
      flows.push_back(ReadFlow(line, fields, lines));
    } else if (line.front() >= '0' && line.front() <= '9') {
      FailInput(lines.where(), fmt::format("{} flows", announced + CountFlows(lines)),
                fmt::format("{} flows, as the first line says", announced));
    }
  }
  if (static_cast<std::int64_t>(flows.size()) < announced) {
    FailInput(lines.whole_file(), fmt::format("{} flows", flows.size()),
              fmt::format("{} flows, as the first line says", announced));
  }
  return flows;
}

std::vector<FlowRequest> ReadHpccFlows(const std::string& path, const Graph& graph) {
  return ReadAs(FileKind::kFlows, path,
                [&] { return ParseHpccFlows(ReadTextFile(path), path, graph); });
}

}  // namespace heddle
