// SPDX-License-Identifier: GPL-2.0-only
/// How a message is divided over the queue pairs of its connection: the one place that decides it,
/// for traces and for collectives.
///
/// Models SimAI's _QPS_PER_CONNECTION_: equal parts but for the last, each a flow of its own. If
/// requests decide which queue pair sends what (requests.scheduler), a message keeps the numbers of
/// all its queue pairs, and queue pairs that get nothing have no flow.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

struct MessageSplit {
  std::int64_t queue_pairs = 1;  ///< of a connection, >= 1
  bool by_requests = false;

  /// Returns the payload of each flow of a message but the last [byte]; `bytes` > 0 is the
  /// message's.
  std::int64_t PartOf(std::int64_t bytes) const { return (bytes + queue_pairs - 1) / queue_pairs; }
  /// Returns the number of flows of a message, without requests: at most one a byte.
  std::int64_t FlowsOf(std::int64_t bytes) const {
    const std::int64_t part = PartOf(bytes);
    return (bytes + part - 1) / part;
  }
  /// Returns how many flow numbers and source ports a message takes.
  std::int64_t NumbersOf(std::int64_t bytes) const {
    return by_requests ? queue_pairs : FlowsOf(bytes);
  }

  /// Calls visit(flow) for each flow of a message, without requests, in order: `message`
  /// (a FlowPost) with the flow's size and, if the message's numbers are given, its own numbers and
  /// order.
  template <class Post, class Visit>
  void ForEachFlow(const Post& message, const Visit& visit) const {
    const std::int64_t part = PartOf(message.size);
    Post flow = message;
    for (std::int64_t sent = 0; sent < message.size; sent += part) {
      flow.size = std::min(part, message.size - sent);
      visit(flow);
      if (!flow.numbers.given()) continue;
      ++flow.order;
      ++flow.numbers.number;
      ++flow.numbers.source_port;
    }
  }
};

}  // namespace heddle
