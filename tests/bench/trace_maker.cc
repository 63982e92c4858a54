// SPDX-License-Identifier: GPL-2.0-only
/// Writes a long trace of Chakra: steps of computing, collectives of groups of 8 ranks, messages in
/// a ring. Usage: trace_maker PREFIX RANKS NODES, with NODES of each rank. Writes PREFIX.RANK.et
/// and PREFIX.groups.json.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/chakra/chakra_bytes.h"

namespace heddle::testing {
namespace {

constexpr std::uint64_t kOfStep = 10;  ///< nodes
constexpr std::uint64_t kOfGroup = 8;  ///< ranks

std::string Communication(const char* size, std::int64_t bytes) { return Attribute(size, bytes); }

/// Node number `i` of a rank. A step is a chain of computations, an all-reduce beside it that the
/// next step's fifth node waits for, and one message to the next rank.
std::string NodeOf(std::uint64_t rank, std::uint64_t ranks, std::uint64_t i) {
  const std::uint64_t step = i / kOfStep, of_step = i % kOfStep, first = step * kOfStep;
  const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  if (of_step == 7) {
    return NodeHead(i, 7, "reduce_" + std::to_string(step % 40)) + Dependencies(5, {first + 6}) +
           Attribute("comm_type", 0) + Communication("comm_size", 65536) +
           Attribute("pg_name", BytesField(29, std::to_string(1 + rank / kOfGroup)));
  }
  if (of_step >= 8) {
    const bool sends = of_step == 8;
    return NodeHead(i, sends ? 5 : 6, sends ? "send" : "receive") +
           Dependencies(5, {first + (sends ? 6 : 2)}) + Communication("comm_size", 4096) +
           (sends ? Attribute("comm_dst", whole((rank + 1) % ranks))
                  : Attribute("comm_src", whole((rank + ranks - 1) % ranks))) +
           Attribute("comm_tag", whole(step % 1000));
  }
  std::string node = NodeHead(i, 4, "layer_" + std::to_string(i % 300));
  if (of_step == 4 && step > 0) {
    node += Dependencies(5, {i - 1, first - 3, first - 1});
  } else if (i > 0) {
    node += Dependencies(5, {of_step == 0 ? first - 4 : i - 1});
  }
  return node + WholeField(7, 1 + (i + rank) % 5);
}

void Write(const std::string& prefix, std::uint64_t rank, std::uint64_t ranks,
           std::uint64_t nodes) {
  std::string bytes = TraceBytes({});
  for (std::uint64_t i = 0; i < nodes; ++i) bytes += Framed(NodeOf(rank, ranks, i));
  std::ofstream(prefix + "." + std::to_string(rank) + ".et", std::ios::binary) << bytes;
}

void WriteGroups(const std::string& prefix, std::uint64_t ranks) {
  std::ofstream file(prefix + ".groups.json");
  for (std::uint64_t group = 0; group < ranks / kOfGroup; ++group) {
    file << (group == 0 ? "{" : ", ") << '"' << group + 1 << "\": [";
    for (std::uint64_t i = 0; i < kOfGroup; ++i)
      file << (i == 0 ? "" : ", ") << group * kOfGroup + i;
    file << "]";
  }
  file << "}\n";
}

}  // namespace
}  // namespace heddle::testing

int main(int count, char** arguments) {
  const std::uint64_t ranks = count == 4 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  const std::uint64_t nodes = count == 4 ? std::strtoull(arguments[3], nullptr, 10) : 0;
  if (ranks == 0 || ranks % heddle::testing::kOfGroup != 0 ||
      nodes % heddle::testing::kOfStep != 0) {
    std::fputs("usage: trace_maker PREFIX RANKS NODES (multiples of 8 and of 10)\n", stderr);
    return 2;
  }
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    heddle::testing::Write(arguments[1], rank, ranks, nodes);
  heddle::testing::WriteGroups(arguments[1], ranks);
  return 0;
}
