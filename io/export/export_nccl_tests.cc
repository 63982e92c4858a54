// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_nccl_tests.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "core/base/table.h"

namespace heddle {
namespace {

/// Properties common to the lines under one comment.
struct Section {
  std::string op, group_type;
  std::uint32_t ranks;
  bool operator<(const Section& o) const {
    return std::tie(op, group_type, ranks) < std::tie(o.op, o.group_type, o.ranks);
  }
};

struct LineKey {
  std::int64_t bytes, root;
  bool operator<(const LineKey& o) const {
    return std::tie(bytes, root) < std::tie(o.bytes, o.root);
  }
};

struct Line {
  std::int64_t collectives = 0, time_ps = 0, wait_ps = 0;
  double bus_factor = 1;
};

/// The time column: seven characters with fewer decimals for longer times, as nccl-tests does.
std::string TimeText(double us) {
  if (us >= 10'000) return fmt::format("{:7.0f}", us);
  return us >= 100 ? fmt::format("{:7.1f}", us) : fmt::format("{:7.2f}", us);
}

/// One line. Returns its bus bandwidth in GB/s.
double WriteLine(const Section& section, const LineKey& key, const Line& line, std::ostream& out) {
  const NcclElements elements = ElementsOf(section.op, key.bytes, section.ranks);
  const double us =
      static_cast<double>(line.time_ps) * 1e-6 / static_cast<double>(line.collectives);
  // Byte/us is MB/s; the factor gives GB/s.
  const double algorithm = us > 0 ? static_cast<double>(key.bytes) / us * 1e-3 : 0;
  const double bus = algorithm * line.bus_factor;
  out << fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}  {}  {:6.2f}  {:6.2f}  {:>5}\n",
                     key.bytes, elements.count, elements.type, elements.redop, key.root,
                     TimeText(us), algorithm, bus, "N/A");
  return bus;
}

/// How long receivers waited for their senders, and collectives for those before them on their
/// communicators; this is not in the times.
std::string WaitText(const std::string& op, const std::map<LineKey, Line>& lines) {
  std::int64_t collectives = 0;
  double wait_ps = 0;
  for (const auto& [key, line] : lines) {
    collectives += line.collectives;
    wait_ps += static_cast<double>(line.wait_ps);
  }
  if (wait_ps == 0) return "";
  return fmt::format("; before, {} {:.2f} us",
                     op == "SENDRECV" ? "a receiver waited for its sender"
                                      : "it waited for another on its communicator",
                     wait_ps * 1e-6 / static_cast<double>(collectives));
}

}  // namespace

NcclElements ElementsOf(const std::string& operation, std::int64_t bytes, std::uint32_t ranks) {
  const bool reduces =
      operation == "ALLREDUCE" || operation == "REDUCESCATTER" || operation == "REDUCE";
  // If the buffer consists of the ranks' blocks, nccl-tests counts the elements of one block.
  const bool parts =
      operation == "ALLGATHER" || operation == "REDUCESCATTER" || operation == "ALLTOALL";
  const std::int64_t part = parts ? bytes / ranks : bytes;
  const bool floats = bytes % (parts ? 4 * std::int64_t{ranks} : 4) == 0;
  return {floats ? part / 4 : part, floats ? "float" : "uint8", reduces ? "sum" : "none"};
}

std::size_t ExportNcclTests(const Table& collectives, std::ostream& out) {
  const auto& op = GetColumn<std::string>(collectives, "op");
  const auto& group_type = GetColumn<std::string>(collectives, "group_type");
  const auto& ranks = GetColumn<std::uint32_t>(collectives, "ranks");
  const auto& root = GetColumn<std::int64_t>(collectives, "root");
  const auto& bytes = GetColumn<std::int64_t>(collectives, "bytes");
  const auto& time = GetColumn<std::int64_t>(collectives, "time_ps");
  const auto& wait = GetColumn<std::int64_t>(collectives, "wait_ps");
  const auto& algbw = GetColumn<double>(collectives, "algbw");
  const auto& busbw = GetColumn<double>(collectives, "busbw");
  std::map<Section, std::map<LineKey, Line>> sections;
  std::size_t unfinished = 0;
  for (std::size_t i = 0; i < op.size(); ++i) {
    if (time[i] < 0) {
      ++unfinished;
      continue;
    }
    Line& line = sections[{op[i], group_type[i], ranks[i]}][{bytes[i], root[i]}];
    ++line.collectives;
    line.time_ps += time[i];
    line.wait_ps += wait[i];
    if (algbw[i] > 0) line.bus_factor = busbw[i] / algbw[i];
  }
  out << fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>5}\n", "size",
                     "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong")
      << fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}\n", "(B)",
                     "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)");
  double sum = 0;
  std::size_t lines = 0;
  for (const auto& [section, by_size] : sections) {
    out << fmt::format("# {} {}, {} ranks{}\n", section.op, section.group_type, section.ranks,
                       WaitText(section.op, by_size));
    for (const auto& [key, line] : by_size) sum += WriteLine(section, key, line, out);
    lines += by_size.size();
  }
  out << fmt::format("# Avg bus bandwidth    : {:g}\n",
                     lines > 0 ? sum / static_cast<double>(lines) : 0);
  return unfinished;
}

}  // namespace heddle
