// SPDX-License-Identifier: GPL-2.0-only
/// Predicts the cost of a partition before a run: links between ranks, lookahead, balance,
/// efficiency.
///
/// Model, for a fabric whose links all carry full packets at their rate, in both directions:
///   compute(r) = L * (packets/s that arrive at the nodes of rank r) / packet_hops_per_second
///   talk(r)    = exchange at a window's edge (core/exchange/exchange_kind.h)
///                + L * (packets/s over links of r to and from other ranks) * record_bytes
///                  / bytes_per_second
///   efficiency = sum over r of compute(r) / (ranks * max over r of (compute(r) + talk(r)))
/// for a window of the lookahead L. The exchange is with all ranks, or with neighbours if that
/// takes less time. Not modelled: overlap of the two, memory, cores that share a cache. Real load
/// is below full load and uneven: use the model to compare partitions, not as a prediction of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exchange/exchange_kind.h"
#include "partition/partition.h"

namespace heddle {

/// Constants of the model.
struct EfficiencyModel {
  double packet_hops_per_second = 6e6;  ///< of one core in 500 ns windows
  EdgeCosts edge;                       ///< of the machine's network
  double bytes_per_second = 10e9;       ///< of a rank's network port, each direction [byte/s]
  double record_bytes = 64;             ///< size of a packet in a message [byte]
  double packet_bytes = 9052;           ///< on the wire: SimAI's default payload and headers [byte]
};

/// Metrics of an assignment.
struct PartitionReport {
  struct Rank {
    std::uint32_t domains = 0, nodes = 0, gpus = 0;
    std::uint32_t neighbours = 0;  ///< ranks that it shares links with
    std::uint64_t cut_links = 0;
    double packet_hops_per_us = 0;  ///< arrivals at full load, per simulated us
    double messages_per_us = 0;     ///< packets over links to other ranks, both directions
  };
  std::vector<Rank> ranks;
  std::uint64_t links = 0, cut_links = 0;
  std::uint64_t domains = 0, largest_domain = 0;  ///< number of domains; nodes of the largest
  Time lookahead;                                 ///< Time::Max() if there is one domain
  double messages_per_us = 0;                     ///< packets between ranks, per simulated us
  double load_imbalance = 1;                      ///< largest load of a rank over the mean
  double efficiency = 1;                          ///< predicted, 0 to 1
};

/// Requires an assignment of these domains to ranks 0 .. ranks - 1.
PartitionReport AnalysePartition(const Graph& graph, const Domains& domains,
                                 const Assignment& assignment, std::uint32_t ranks,
                                 const EfficiencyModel& model = {});

/// Returns several lines for people.
std::string ToText(const PartitionReport& report);

}  // namespace heddle
