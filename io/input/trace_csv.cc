// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/trace_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "io/input/file_kind.h"
#include "io/input/flow_fields.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr const char* kTraceHeader = "timestamp_ns,src,dst,size_bytes";
constexpr std::size_t kTraceColumns = 4;
using TraceRow = std::array<std::string_view, kTraceColumns>;

TraceRow SplitTrace(std::string_view line, const LineReader& lines) {
  const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (count != kTraceColumns) {
    FailInput(lines.where(), fmt::format("{} column{}", count, count == 1 ? "" : "s"),
              fmt::format("{} columns, {}", kTraceColumns, kTraceHeader));
  }
  TraceRow row;
  for (std::string_view& field : row) {
    const std::size_t comma = line.find(',');
    field = Trim(line.substr(0, comma));
    if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
  }
  return row;
}

bool IsHeader(const TraceRow& row) {
  return row == TraceRow{"timestamp_ns", "src", "dst", "size_bytes"};
}

}  // namespace

std::vector<FlowRequest> ParseTraceCsv(std::string_view text, const std::string& name,
                                       const Graph& graph, Time send_latency) {
  LineReader lines(text, name);
  const FlowFields fields(graph, lines);
  std::vector<FlowRequest> flows;
  Time previous;
  bool first = true;
  std::string_view line;
  while (lines.NextFilled(&line)) {
    if (line.front() == '#') continue;
    const TraceRow row = SplitTrace(line, lines);
    if (std::exchange(first, false) && IsHeader(row)) continue;
    FlowRequest flow;
    const Time timestamp = fields.ReadTime(row[0], "ns");
    fields.ReadEnds(row[1], row[2], &flow.source, &flow.destination);
    flow.size = fields.ReadSize(row[3]);
    if (timestamp < previous) {
      FailInput(
          lines.where(),
          fmt::format("time goes backwards: {} after {}", ToText(timestamp), ToText(previous)),
          "lines in the order of time");
    }
    previous = timestamp;
    flow.start = timestamp + send_latency;
    flows.push_back(flow);
  }
  if (flows.empty()) {
    FailInput(lines.whole_file(), "no flow", fmt::format("at least one line {}", kTraceHeader));
  }
  return flows;
}

std::vector<FlowRequest> ReadTraceCsv(const std::string& path, const Graph& graph,
                                      Time send_latency) {
  return ReadAs(FileKind::kTrace, path,
                [&] { return ParseTraceCsv(ReadTextFile(path), path, graph, send_latency); });
}

std::string WriteTraceCsv(const std::vector<FlowRequest>& flows, std::string_view comment) {
  HEDDLE_EXPECT(comment.find('\n') == std::string_view::npos);
  fmt::memory_buffer text;  // faster than a string, for ten million lines
  auto out = std::back_inserter(text);
  if (!comment.empty()) fmt::format_to(out, "# {}\n", comment);
  // The header is a comment, as in the ECMP controller's specification (section 6.1), so that its
  // injector can read the file, too.
  fmt::format_to(out, "# {}\n", kTraceHeader);
  for (const FlowRequest& flow : flows) {
    fmt::format_to(out, "{}", flow.start.ps / 1000);
    if (flow.start.ps % 1000 != 0) fmt::format_to(out, ".{:03}", flow.start.ps % 1000);
    fmt::format_to(out, ",{},{},{}\n", flow.source.value, flow.destination.value, flow.size.count);
  }
  return fmt::to_string(text);
}

}  // namespace heddle
