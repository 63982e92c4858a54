// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_post.h"

#include "transport/model/nic/flow_rows.h"

namespace heddle {

FlowPost PostOf(const Cargo& cargo, const MessageTail& tail) {
  FluidPost head;
  FluidPostTail rest;
  std::memcpy(static_cast<void*>(&head), cargo.bytes, sizeof head);
  std::memcpy(static_cast<void*>(&rest), tail.bytes, sizeof rest);
  FlowPost post;
  post.start = post.asked = head.start;
  post.source = head.source;
  post.destination = head.destination;
  post.size = head.size;
  post.order = head.order;
  post.cookie = rest.cookie;
  post.origin = rest.origin;
  post.priority = head.priority;
  post.destination_port = head.destination_port;
  post.numbers = {head.number, head.message, rest.source_port};
  post.connection = head.connection;
  post.on_arrival = head.on_arrival != 0;
  return post;
}

void AddRows(const MessageSplit& split, const FlowPost& post, std::vector<FlowRecord>* open) {
  if (!post.numbers.given()) {
    open->push_back(RecordOf(post));
    return;
  }
  split.ForEachFlow(post, [&](const FlowPost& flow) { open->push_back(RecordOf(flow)); });
}

}  // namespace heddle
