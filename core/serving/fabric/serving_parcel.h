// SPDX-License-Identifier: GPL-2.0-only
/// What the flows of serving carry to their destinations: messages between instances, parts of
/// collectives of steps, and orders of steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/serving/serving_instance.h"
#include "core/serving/steps/step_group.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// At the end of each cookie of serving.
struct ParcelTag {
  /// Collectives have the kind of their connection here, a small number, schedules all ones.
  static constexpr std::uint8_t kMark = 0xA5;
  enum class Form : std::uint8_t { kMessage, kPart, kOrder };

  std::uint8_t mark = kMark;
  Form form = Form::kMessage;
  std::uint8_t leg = 0;  ///< of kMessage: ServingParcel::Leg
  std::uint8_t unused = 0;
};

/// A message between instances, on one of its ways.
struct ServingParcel {
  enum class Leg : std::uint8_t {
    kMessage,  ///< the message itself, from instance to instance
    kAsk,      ///< from the first GPU of its source: send this share
    kLeft,     ///< to the first GPU of its source: the share has left
    kHere      ///< to the first GPU of its destination: the share has come
  };
  ServingMessage message;
  ParcelTag tag;

  Leg leg() const { return static_cast<Leg>(tag.leg); }

  /// Its place among the messages of a GPU that start at one time; below 2^62. At one time a share
  /// is sent once.
  std::uint64_t order() const {
    constexpr int kShareBits = 24, kKindBits = 3, kLegBits = 2;
    const auto kinds =
        static_cast<std::uint64_t>(leg()) << kKindBits | static_cast<std::uint64_t>(message.kind);
    const std::uint64_t name = std::uint64_t{message.request} << (kKindBits + kLegBits) | kinds;
    return name << kShareBits | message.share;
  }
};

/// A message of a collective of a step.
struct PartParcel {
  StepMessage message;
  std::uint32_t unused = 0;
  ParcelTag tag{ParcelTag::kMark, ParcelTag::Form::kPart, 0, 0};

  /// Behind those of ServingParcel. A GPU may send messages of two rounds at one time, of two steps
  /// never.
  std::uint64_t order() const {
    constexpr int kRankBits = 20, kRoundBits = 20;
    const std::uint64_t name = (std::uint64_t{message.operation} << kRoundBits | message.round)
                               << kRankBits;
    return std::uint64_t{1} << 62 | name | message.destination;
  }
};

/// The order of a step, to the first GPU of a group.
struct OrderParcel {
  std::int64_t computing_ps = 0;
  std::uint32_t instance = 0, group = 0, step = 0, tokens = 0;
  std::uint32_t unused = 0;
  ParcelTag tag{ParcelTag::kMark, ParcelTag::Form::kOrder, 0, 0};

  /// Behind those of PartParcel.
  std::uint64_t order() const { return std::uint64_t{1} << 63 | group; }
};

/// Returns the tag of any cookie; of another driver's its mark differs.
inline ParcelTag TagOf(const FlowCookie& cookie) { return cookie.As<PartParcel>().tag; }

static_assert(offsetof(ServingParcel, tag) == 28 && offsetof(PartParcel, tag) == 28 &&
                  offsetof(OrderParcel, tag) == 28,
              "the tag stands at one place in all forms");

}  // namespace heddle
