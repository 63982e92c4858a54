// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/execution_context.h"

#include <algorithm>

namespace heddle {
namespace {

/// Its name among the connections of its source and destination (FlowPost::connection). These and
/// the type of the group determine the group, as a GPU is in one group of a type.
std::uint32_t ConnectionOf(GroupType type, const GroupFlow& flow) {
  static_assert(kGroupTypes < 1 << 4 && static_cast<int>(kLastConnection) < 1 << 4 &&
                FlowPost::kMaxConnections >= 1U << 24);
  return static_cast<std::uint32_t>(type) << 20 |
         static_cast<std::uint32_t>(flow.connection) << 16 | flow.channel;
}

/// The same of a listed group, which its name has; kOwnConnection where there are no names left.
/// The names follow those of the types.
std::uint32_t ConnectionOfListed(std::uint32_t list, const GroupFlow& flow) {
  constexpr int kChannelBits = 6, kRoleBits = 4;
  constexpr std::uint32_t kFirst = static_cast<std::uint32_t>(GroupType::kListed) << 20;
  constexpr std::uint32_t kLists =
      (FlowPost::kMaxConnections - kFirst) >> (kChannelBits + kRoleBits);
  if (list >= kLists || flow.channel >> kChannelBits != 0) return FlowPost::kOwnConnection;
  return kFirst + (list << (kChannelBits + kRoleBits) |
                   static_cast<std::uint32_t>(flow.connection) << kChannelBits | flow.channel);
}

/// Rank among the messages of a collective and channel, 28 bits: PAT's leave in the order of their
/// numbers, others in that of their destinations.
std::uint32_t OrderOf(const GroupFlow& flow, const FlowPost& post) {
  if (flow.connection == Connection::kPat) return flow.chunk & 0xfffffff;
  return (post.destination.value & 0xfffff) << 8 | (flow.chunk & 0xff);
}

/// Whether a message goes towards the root of a tree.
bool GoesUp(const MessageName& name) { return name.connection() == Connection::kCollNetUp; }

}  // namespace

StreamName ExecutionContext::StreamOf(const MessageName& name, Participant at) const {
  // Sums come up to a switch and go on up; they turn at the root.
  const PlannedCollective& collective = jobs[name.job]->Collective(name.operation, name.group);
  const bool turns = at == collective.shape->in_tree(name.channel, 0);
  const std::uint64_t way = GoesUp(name) || turns ? 1 : 2;
  constexpr int kAtBits = 26, kPathBits = 2, kChannelBits = 4, kJobBits = 16;
  const std::uint64_t low =
      ((std::uint64_t{name.chunk} << kJobBits | name.job) << kChannelBits | name.channel)
          << kPathBits |
      way;
  return {std::uint64_t{name.operation} << 32 | name.group, low << kAtBits | at};
}

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
  MessagePlace place = PlaceOf(collective.spec, collective.choice, shape, flow, channels,
                               PlacedJob::PathOf(shape, flow), first);
  post.start = std::max(ready + delay.Of(collective.spec, collective.choice, flow, place),
                        part->from + delay.Earliest(collective.choice, flow, place));
  if (message_delay && IsBetweenTwo(collective.spec)) post.start = ready + *message_delay;
  const bool in_tree = shape.adds(flow.source) || shape.adds(flow.destination);
  if (shape.adds(flow.source)) {
    post.start = ready;
  } else if (flow.answers && !shape.is_nvswitch(flow.source)) {
    // The memory of a GPU is read once its software has begun.
    GroupFlow first_of_all = flow;
    first_of_all.answers = false;
    place.first = true;
    const Time begun = delay.Of(collective.spec, collective.choice, first_of_all, place);
    post.start = std::max(post.start, part->from + begun);
  }
  post.asked = ready + delay.HandOver(collective.spec, collective.choice, flow, channels);
  if (message_delay && IsBetweenTwo(collective.spec)) post.asked = post.start;
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
  post.on_arrival = in_tree || collective.schedule->IsHeardOnArrival(flow);
  post.feeds = shape.adds(flow.destination);
  if (shape.adds(flow.source)) post.stream = StreamOf(name, flow.source);
  if (lasting && !in_tree) {
    post.connection = collective.spec.group == GroupType::kListed
                          ? ConnectionOfListed(part->group, flow)
                          : ConnectionOf(collective.spec.group, flow);
  }
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
  call.sizes = spec.sizes;
  // Groups of stages have a stand-in of each stage, and other groups one.
  call.for_all = job.in_step() && spec.group != GroupType::kPipeline;
  call.start = start;
  return call;
}

}  // namespace heddle
