// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_collisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace heddle {
namespace {

/// Buffers text and writes it in large blocks.
class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}
  ~Lines() { Flush(); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  template <class Format, class... Values>
  void Append(Format format, const Values&... values) {
    fmt::format_to(std::back_inserter(text_), format, values...);
    if (text_.size() > 1'000'000) Flush();
  }

 private:
  void Flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  std::ostream& out_;
  fmt::memory_buffer text_;
};

std::uint32_t PeerOf(const Graph& graph, Hop hop) {
  return graph.ports(hop.node)[hop.port.value].peer.value;
}

}  // namespace

void ExportSharedPeriods(const CollisionAnalysis& analysis, const Graph& graph,
                         const HopNumbers& numbers, std::ostream& out) {
  Lines lines(out);
  lines.Append(FMT_STRING("node,port,peer,from_ps,until_ps,flows,flow_ids\n"));
  analysis.ForEachPeriod(analysis.SharedPorts(), [&](const SharedPeriod& period,
                                                     const std::vector<std::uint32_t>& flows) {
    const Hop hop = numbers.At(period.port);
    lines.Append(FMT_STRING("{},{},{},{},{},{},"), hop.node.value, hop.port.value,
                 PeerOf(graph, hop), period.from, period.until, flows.size());
    if (flows.size() <= kMostFlowsListed) {
      std::vector<std::uint32_t> listed = flows;
      std::sort(listed.begin(), listed.end());
      for (std::size_t i = 0; i < listed.size(); ++i)
        lines.Append(FMT_STRING("{}{}"), i == 0 ? "" : ";", listed[i]);
    }
    lines.Append(FMT_STRING("\n"));
  });
}

std::uint64_t ExportCollidingPairs(const CollisionAnalysis& analysis, const Graph& graph,
                                   const HopNumbers& numbers, std::size_t limit,
                                   std::ostream& out) {
  Lines lines(out);
  lines.Append(FMT_STRING("flow_a,flow_b,node,port,peer,from_ps,until_ps\n"));
  for (const PortPair& pair : analysis.Pairs(limit)) {
    const Hop hop = numbers.At(pair.port);
    lines.Append(FMT_STRING("{},{},{},{},{},{},{}\n"), pair.first, pair.second, hop.node.value,
                 hop.port.value, PeerOf(graph, hop), pair.from, pair.until);
  }
  std::uint64_t all = 0;
  for (const PortSharing& sharing : analysis.ports()) all += sharing.pairs;
  return all;
}

}  // namespace heddle
