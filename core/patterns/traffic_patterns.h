// SPDX-License-Identifier: GPL-2.0-only
/// Transfers of KV caches between servers, by arrival pattern.
///
/// In disaggregated inference a server that has read a prompt (prefill) sends its key-value cache
/// to one that writes the answer (decode). A pattern determines when such transfers start, and
/// between which GPUs. Invariant: equal options give equal flows on every machine. Random numbers
/// come from RandomStream; times from single operations that IEEE 754 defines to the bit, and from
/// DrawExponential. Not modelled: sizes that differ from flow to flow, and transfers that depend on
/// others.
#pragma once

#include <vector>

#include "core/patterns/traffic_options.h"
#include "core/traffic/flow_request.h"

namespace heddle {

/// Generates at least one flow, sorted by time; `start` is the timestamp, in whole nanoseconds.
/// Throws UserError if `options` are invalid, give no flow or more than kMaxTraceFlows, or last
/// longer than kMaxTraceNs.
std::vector<FlowRequest> GenerateTraffic(const TrafficOptions& options);

}  // namespace heddle
