// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics with more than one way, a controller for them, and the completion time of a flow alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/controller_rows.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {

constexpr std::int64_t kLatency = kMicro;          ///< default latency of the control network
constexpr std::int64_t kSendLatency = 6 * kMicro;  ///< default send latency
constexpr std::uint32_t kNoRequest = ~0U;

inline TransportOptions Controlled(TransportOptions options = Unlimited()) {
  options.controller.enabled = true;
  return options;
}

/// Two leaves of two GPUs, cables of 100 Gbps and 1 us. GPUs 0 and 1 at leaf 4, 2 and 3 at leaf 5;
/// spine s is switch 6 + s, at port 2 + s of a leaf; a spine's port 0 leads to leaf 4, 1 to leaf 5.
/// Links: 4 + s of leaf 4, 4 + spines + s of leaf 5.
inline LeafSpine TwoLeaves(std::uint32_t spines) {
  return {2, 2, spines, BitRate{100 * kG}, MicroSeconds(1)};
}
inline constexpr std::uint32_t kLeftLeaf = 4, kRightLeaf = 5, kFirstSpine = 6;

/// Completion time of a flow of full packets over leaf, spine and leaf without other traffic: the
/// last packet is sent, crosses three more links, and its ACK comes back over four.
constexpr std::int64_t LoneFct(std::int64_t packets) {
  return (packets + 3) * kTx + 4 * kMicro + 4 * (kAckTx + kMicro);
}

/// The fabric of the experiment in the ECMP controller's specification: two servers of 8 GPUs, 8
/// spines (tests/validation/controller_demo_test.cc).
inline Graph SpecificationFabric() {
  LeafSpineOptions options = FindTemplate("DCN-SingleToR").defaults;
  options.gpus = 16;
  options.gpus_per_server = 8;
  options.gpu_type = "A100";
  options.bandwidth = options.leaf_spine_bandwidth = "100Gbps";
  options.nvlink_bandwidth = "2400Gbps";
  options.leaf_switches = 2;
  options.nics_per_leaf = 8;
  options.spine_switches = 8;
  options.leaves_per_spine = 2;
  return Generate("DCN-SingleToR", options);
}

inline std::int64_t Start(const Observed& o, std::size_t row) {
  return GetColumn<std::int64_t>(o.flows, "start_ps").at(row);
}
inline std::uint32_t Request(const Observed& o, std::size_t row) {
  return GetColumn<std::uint32_t>(o.flows, "request").at(row);
}
inline std::uint32_t SourcePort(const Observed& o, std::size_t row) {
  return GetColumn<std::uint16_t>(o.flows, "source_port").at(row);
}

/// The spine of a path over leaf, spine, leaf.
inline std::uint32_t SpineOf(const Choice& choice) { return choice.path.at(1).first; }

/// Random traffic for a property: bursts at a few instants, so that requests meet.
inline std::vector<FlowRequest> Bursts(std::uint32_t gpus, int count, std::int64_t largest,
                                       std::uint64_t seed) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  std::vector<FlowRequest> flows;
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random.Below(gpus));
    const auto to = (from + 1 + static_cast<std::uint32_t>(random.Below(gpus - 1))) % gpus;
    const auto size =
        static_cast<std::int64_t>(1 + random.Below(static_cast<std::uint64_t>(largest)));
    flows.push_back(
        Flow(from, to, size, 3, static_cast<std::int64_t>(random.Below(8)) * 9 * kMicro));
  }
  return flows;
}

}  // namespace heddle::testing
