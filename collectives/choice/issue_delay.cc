// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/issue_delay.h"

#include <algorithm>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/simai_latency.h"

namespace heddle {
namespace {

constexpr Time kHandOver = NanoSeconds(10);   // SimAI's NcclTreeFlowModel.cc: to the network layer
constexpr Time kReduction = NanoSeconds(30);  // likewise: one memory write and two reads of 10 ns

/// SimAI 1.6 counts a reduction's memory accesses where its ring algorithms reduce. In AllReduce a
/// flag that every batch of channels toggles suppresses them unless the number of channels is odd.
bool CountsReduction(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                     const GroupFlow& flow, std::uint32_t channels) {
  return flow.reduced && RowOf(choice.algorithm).counts_reductions &&
         (spec.operation == Operation::kReduceScatter || channels % 2 == 1);
}

}  // namespace

IssueDelay::IssueDelay(const CollectiveOptions& options)
    : options_(options),
      kernels_(options.hardware.figures(), options),
      by_simai_table_(options.by_simai_table()),
      by_send_latency_(options.by_send_latency()),
      by_hardware_(options.by_hardware()) {}

Time IssueDelay::HandOver(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                          const GroupFlow& flow, std::uint32_t channels) const {
  const bool reduction = by_send_latency_ && CountsReduction(spec, choice, flow, channels);
  return kHandOver + (reduction ? kReduction : Time{});
}

Time IssueDelay::Of(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                    const GroupFlow& flow, const MessagePlace& place) const {
  const Time hand_over = HandOver(spec, choice, flow, place.channels);
  if (flow.answers) return hand_over;
  if (by_hardware_) return hand_over + kernels_.Of(choice, flow, place);
  if (by_simai_table_)
    return hand_over + SimaiLatency(place.path, choice.algorithm, choice.protocol);
  if (by_send_latency_) return hand_over + options_.send_latency;
  return hand_over +
         MessageLatency(place.path, choice.algorithm, choice.protocol, options_.send_latency) +
         (place.first ? Base(choice, place.channels) : Time{});
}

Time IssueDelay::Base(const AlgorithmChoice& choice, std::uint32_t channels) const {
  if (by_hardware_) return kernels_.Base(choice, channels);
  return by_send_latency_ ? Time{} : BaseLatency(choice.algorithm, choice.protocol);
}

Time IssueDelay::least() const {
  if (by_simai_table_) return kHandOver + LeastSimaiLatency();
  if (by_send_latency_) return kHandOver + options_.send_latency;
  if (by_hardware_) return kHandOver + kernels_.least();
  return kHandOver + std::min(options_.send_latency, LeastHardwareLatency());
}

}  // namespace heddle
