// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/execution_context.h"

namespace heddle {

void ExecutionContext::Post(const PlacedJob& job, const Participation& part, const GroupFlow& flow,
                            Time ready, bool first, FlowPort* port) const {
  const PlannedCollective& collective = *part.collective;
  const GroupShape& shape = const_cast<PlacedJob&>(job).Shape(collective.spec.group, part.group);
  MessageName name;
  name.node = shape.node(flow.destination).value;
  name.operation = part.operation;
  name.group = part.group;
  name.source = flow.source;
  name.destination = flow.destination;
  name.chunk = flow.chunk;
  name.channel = flow.channel;
  name.job = static_cast<std::uint16_t>(job.index());
  name.connection = flow.connection;
  const std::uint32_t channels = collective.schedule->channels();
  FlowPost post;
  post.start = ready + delay.Of(collective.spec, collective.choice, flow, channels,
                                PlacedJob::PathOf(shape, flow), first);
  post.asked = ready + delay.HandOver(collective.spec, collective.choice, flow, channels);
  post.source = shape.node(flow.source);
  post.destination = shape.node(flow.destination);
  post.size = ProtocolBytes(collective.choice.protocol, flow.wire_bytes());
  // By collective, channel, destination: SimAI's order of ids. What is left is decided by the
  // note's bytes.
  post.order = (static_cast<std::uint64_t>(part.operation & 0xffffff) << 40) |
               (static_cast<std::uint64_t>(flow.channel & 0xfff) << 28) |
               (post.destination.value & 0xfffff) << 8 | (flow.chunk & 0xff);
  post.note = FlowNote::Of(name);
  post.label = {part.operation, flow.chunk, flow.channel, static_cast<std::uint16_t>(job.index())};
  port->Post(post);
}

}  // namespace heddle
