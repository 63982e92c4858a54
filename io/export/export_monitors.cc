// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_monitors.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/base/table.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;
using U8 = std::vector<std::uint8_t>;

/// Collects lines and writes them in blocks, so that the text of a long table is not in memory as
/// well.
class MonitorLines {
 public:
  explicit MonitorLines(std::ostream& out) : out_(out) {}
  ~MonitorLines() { Write(); }
  MonitorLines(const MonitorLines&) = delete;
  MonitorLines& operator=(const MonitorLines&) = delete;

  template <class... Values>
  void Add(std::string_view format, const Values&... values) {
    fmt::format_to(std::back_inserter(text_), fmt::runtime(format), values...);
    text_.push_back('\n');
    if (text_.size() > kPiece) Write();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;
  void Write() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  std::ostream& out_;
  fmt::memory_buffer text_;
};

const I64& Times(const Table& table) { return GetColumn<std::int64_t>(table, "time_ps"); }
std::int64_t Nanoseconds(std::int64_t ps) { return ps / 1000; }
/// SimAI's interface index of a port.
std::uint64_t Interface(std::uint32_t port) { return std::uint64_t{port} + 1; }

/// Writes the columns that rates and CNPs have in common, and the last one.
void ExportPairs(const Table& table, const std::string& value, const char* value_name,
                 std::ostream& out) {
  const I64& time = Times(table);
  const U32& source = GetColumn<std::uint32_t>(table, "src");
  const U32& destination = GetColumn<std::uint32_t>(table, "dst");
  const U16& source_port = GetColumn<std::uint16_t>(table, "source_port");
  const U16& destination_port = GetColumn<std::uint16_t>(table, "destination_port");
  const I64& size = GetColumn<std::int64_t>(table, "size_bytes");
  const I64& last = GetColumn<std::int64_t>(table, value);
  MonitorLines lines(out);
  lines.Add("time, src, dst, sport, dport, size, {}", value_name);
  for (std::size_t i = 0; i < time.size(); ++i) {
    lines.Add("{}, {}, {}, {}, {}, {}, {}", Nanoseconds(time[i]), source[i], destination[i],
              source_port[i], destination_port[i], size[i], last[i]);
  }
}

int SimaiNodeType(NodeKind kind) {
  return kind == NodeKind::kGpu ? 0 : (kind == NodeKind::kSwitch ? 1 : 2);
}

}  // namespace

void ExportQueues(const Table& queues, std::ostream& out) {
  const I64& time = Times(queues);
  const U32& node = GetColumn<std::uint32_t>(queues, "node");
  const U32& port = GetColumn<std::uint32_t>(queues, "port");
  const U8& priority = GetColumn<std::uint8_t>(queues, "priority");
  const I64& queued = GetColumn<std::int64_t>(queues, "queued_bytes");
  const I64& port_bytes = GetColumn<std::int64_t>(queues, "port_bytes");
  MonitorLines lines(out);
  lines.Add("time, sw_id, port_id, q_id, q_len, port_len");
  for (std::size_t i = 0; i < time.size(); ++i) {
    lines.Add("{}, {}, {}, {}, {}, {}", Nanoseconds(time[i]), node[i], Interface(port[i]),
              priority[i], queued[i], port_bytes[i]);
  }
}

void ExportLinks(const Table& links, std::ostream& out) {
  const I64& time = Times(links);
  const U32& node = GetColumn<std::uint32_t>(links, "node");
  const U32& port = GetColumn<std::uint32_t>(links, "port");
  const auto& throughput = GetColumn<double>(links, "throughput_gbps");
  MonitorLines lines(out);
  lines.Add("time, node_id, port_id, bandwidth");
  for (std::size_t i = 0; i < time.size(); ++i) {
    lines.Add("{}, {}, {}, {:f}", Nanoseconds(time[i]), node[i], Interface(port[i]), throughput[i]);
  }
}

void ExportRates(const Table& rates, std::ostream& out) {
  ExportPairs(rates, "rate_bps", "curr_rate", out);
}

void ExportCnps(const Table& cnps, std::ostream& out) {
  ExportPairs(cnps, "cnps", "cnp_number", out);
}

void ExportPauses(const Table& pauses, const Graph& graph, std::ostream& out) {
  const I64& time = Times(pauses);
  const U32& node = GetColumn<std::uint32_t>(pauses, "node");
  const U32& port = GetColumn<std::uint32_t>(pauses, "port");
  const U8& pause = GetColumn<std::uint8_t>(pauses, "pause");
  MonitorLines lines(out);
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (node[i] >= graph.node_count()) {
      throw UserError(fmt::format(
          "table {}: row {} is about node {}, but the topology has {} nodes. Expected: a whole "
          "result of heddle",
          pauses.name, i, node[i], graph.node_count()));
    }
    lines.Add("{} {} {} {} {}", Nanoseconds(time[i]), node[i],
              SimaiNodeType(graph.kind(NodeId(node[i]))), Interface(port[i]), pause[i]);
  }
}

void ExportCast(const Table& cast, std::ostream& out) {
  const I64& time = Times(cast);
  const U32& source = GetColumn<std::uint32_t>(cast, "src");
  const U32& destination = GetColumn<std::uint32_t>(cast, "dst");
  const U32& connection = GetColumn<std::uint32_t>(cast, "connection");
  const U8& priority = GetColumn<std::uint8_t>(cast, "priority");
  const auto& pair = GetColumn<std::uint16_t>(cast, "queue_pair");
  const auto& weight = GetColumn<double>(cast, "weight");
  const I64& estimate = GetColumn<std::int64_t>(cast, "estimate_ps");
  const I64& bytes = GetColumn<std::int64_t>(cast, "posted_bytes");
  MonitorLines lines(out);
  lines.Add("time_ns,src,dst,connection,priority,queue_pair,weight,estimate_ns,posted_bytes");
  for (std::size_t i = 0; i < time.size(); ++i) {
    lines.Add("{},{},{},{},{},{},{:.6f},{},{}", Nanoseconds(time[i]), source[i], destination[i],
              connection[i], priority[i], pair[i], weight[i], Nanoseconds(estimate[i]), bytes[i]);
  }
}

}  // namespace heddle
