// SPDX-License-Identifier: GPL-2.0-only
/// The messages between instances, known before a run but for their times.
#pragma once

#include <cstdint>
#include <functional>

#include "core/serving/model/serving_request.h"
#include "core/serving/serving_plan.h"
#include "core/serving/serving_record.h"

namespace heddle {

/// Payload of a message without KV.
inline constexpr std::int64_t kServingControlBytes = 256;

/// Gets the source, the destination, the bytes and the number of equal messages.
using ServingVisit = std::function<void(NodeId, NodeId, std::int64_t, std::uint64_t)>;

/// Visits all messages that requests may need: offers, grants and shares of KV, and those of a
/// router. Requests that are rejected, or end with their first token, need none; shares of far GPUs
/// need three more. With a router instances are assumed to be taken in turn, and no prefix to be at
/// its destination.
void ForEachServingMessage(const ServingPlan& plan, const ServingRequests& requests,
                           const ServingVisit& visit);

/// Visits the messages of the collectives of steps, and what notifies GPUs of them, if instances do
/// as many steps and tokens as `totals` say; all steps of an instance have the mean of its tokens.
void ForEachStepMessage(const ServingPlan& plan, const std::vector<InstanceTotals>& totals,
                        const ServingVisit& visit);

}  // namespace heddle
