// SPDX-License-Identifier: GPL-2.0-only
/// Small fabrics, and flows that meet at ports, for the cases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle::invariance {

constexpr std::uint32_t kGpus = 32;
constexpr std::uint32_t kPerServer = 8;

/// 32 GPUs in four servers behind one NVSwitch each, 400 Gbps, by a template of the generator.
/// `error_rate`: probability that a packet is lost, on every link.
Graph SmallFabric(const std::string& name, const std::string& error_rate = "0",
                  std::uint32_t spines = 8);

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t bytes, Time start = Time{0});

/// Waves at equal times on purpose: from all GPUs to the next server, from all to a neighbour
/// inside the server, an incast; so that packets meet at the same picosecond at many ports. The
/// last flow starts after a long idle time.
std::vector<FlowRequest> MeetingFlows();
/// Flows from every second GPU of the other servers to each of `targets`, all at once.
std::vector<FlowRequest> Incasts(const std::vector<std::uint32_t>& targets, std::int64_t bytes);
/// Flows from all GPUs to the GPU one server further and one rail further, `waves` times.
std::vector<FlowRequest> Shifts(int waves, std::int64_t bytes, Time apart);
std::vector<FlowRequest> operator+(std::vector<FlowRequest> first,
                                   const std::vector<FlowRequest>& second);

}  // namespace heddle::invariance
