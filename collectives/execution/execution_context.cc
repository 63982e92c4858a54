// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/execution_context.h"

namespace heddle {
namespace {

/// Its name among the connections of its source and destination (FlowPost::connection). These and
/// the type of the group determine the group, as a GPU is in one group of a type.
std::uint32_t ConnectionOf(GroupType type, const GroupFlow& flow) {
  static_assert(kGroupTypes <= 1 << 4 && static_cast<int>(kLastConnection) < 1 << 4 &&
                FlowPost::kMaxConnections >= 1U << 24);
  return static_cast<std::uint32_t>(type) << 20 |
         static_cast<std::uint32_t>(flow.connection) << 16 | flow.channel;
}

/// Rank among the messages of a collective and channel, 28 bits: PAT's leave in the order of their
/// numbers, others in that of their destinations.
std::uint32_t OrderOf(const GroupFlow& flow, const FlowPost& post) {
  if (flow.connection == Connection::kPat) return flow.chunk & 0xfffffff;
  return (post.destination.value & 0xfffff) << 8 | (flow.chunk & 0xff);
}

}  // namespace

void ExecutionContext::Post(const PlacedJob& job, Participation* part, const GroupFlow& flow,
                            Time ready, bool first, FlowPoster* port) const {
  const PlannedCollective& collective = *part->collective;
  const GroupShape& shape = *collective.shape;
  MessageName name;
  name.node = shape.node(flow.destination).value;
  name.operation = part->operation;
  name.group = part->group;
  name.source = flow.source;
  name.destination = flow.destination;
  name.chunk = flow.chunk;
  name.channel = flow.channel;
  name.job = static_cast<std::uint16_t>(job.index());
  name.connection_bits = static_cast<std::uint32_t>(flow.connection);
  name.turn = part->NextTurn(flow);
  const std::uint32_t channels = collective.schedule->channels();
  FlowPost post;
  post.start = ready + delay.Of(collective.spec, collective.choice, flow, channels,
                                PlacedJob::PathOf(shape, flow), first);
  post.asked = ready + delay.HandOver(collective.spec, collective.choice, flow, channels);
  post.source = shape.node(flow.source);
  post.destination = shape.node(flow.destination);
  post.size = ProtocolBytes(collective.choice.protocol, flow.wire_bytes());
  // Ordered by collective, channel, destination: SimAI's order of ids. The cookie's bytes break
  // ties.
  post.order = (static_cast<std::uint64_t>(part->operation & 0xffffff) << 40) |
               (static_cast<std::uint64_t>(flow.channel & 0xfff) << 28) | OrderOf(flow, post);
  post.priority = job.job().priority;
  post.cookie = FlowCookie::Of(name);
  post.origin = {part->operation, flow.chunk, flow.channel,
                 static_cast<std::uint16_t>(job.index())};
  post.send_recv = collective.spec.operation == Operation::kAllToAll ||
                   collective.spec.operation == Operation::kSendRecv;
  post.on_arrival = collective.schedule->heard_on_arrival();
  if (options.lasting()) post.connection = ConnectionOf(collective.spec.group, flow);
  port->PostSlice(post, {flow.offset, flow.bytes, flow.reduces});
}

CollectiveCall ExecutionContext::CallOf(PlacedJob& job, const Participation& part, Time start) {
  const CollectiveSpec& spec = part.collective->spec;
  const GroupShape& shape = job.Shape(spec.group, part.group);
  CollectiveCall call;
  call.name = {part.operation, part.group, static_cast<std::uint16_t>(job.index())};
  call.operation = spec.operation;
  call.group_type = spec.group;
  call.bytes = spec.bytes;
  call.highest = job.Op(part.operation).highest;
  call.members = shape.gpus();
  call.ranks = shape.ranks();
  call.rank = part.me;
  call.root = spec.root;
  call.peer = spec.peer;
  call.start = start;
  return call;
}

}  // namespace heddle
