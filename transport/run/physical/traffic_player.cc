// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/traffic_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Payloads whose copy takes longer than a turn of the loop [byte].
constexpr std::int64_t kLong = std::int64_t{64} << 10;

}  // namespace

TrafficPlayer::TrafficPlayer(RankId here, std::uint32_t ranks, const std::vector<RankId>& rank_of,
                             const RealClock& clock, DuePosts* queue, FlowAgent* agent,
                             MessageContents* contents, FlowLedger* ledger, DomainBooks* books)
    : here_(here),
      rank_of_(rank_of),
      clock_(clock),
      queue_(*queue),
      agent_(agent),
      contents_(contents),
      ledger_(*ledger),
      books_(*books),
      wire_(sizeof(MessageHeader)),
      sequence_sent_(ranks),
      sequence_received_(ranks) {}

bool TrafficPlayer::Turn() {
  // Departures first, as places that are no longer read can be written; what arrivals make possible
  // is due at once.
  const bool departed = TakeDepartures();
  const bool arrived = TakeArrivals();
  const bool started = StartDue();
  if (!arrived && !started && !departed) return false;
  last_ = std::max(last_, clock_.Now());
  return true;
}

bool TrafficPlayer::TakeArrivals() {
  bool any = false;
  RankId from;
  MessageHeader header;
  while (wire_.TakeHeader(&from, &header)) {
    any = true;
    Check(from, header);
    ++sequence_received_[from.value];
    Coming coming = Incoming(header);
    char* place = coming.place;
    wire_.Receive(place, header.size, coming_.Add(std::move(coming)));
    // MPI may copy it in this call. What it makes possible goes before the next is taken.
    if (header.size >= kLong) break;
  }
  MessageWire::Ticket ticket = 0;
  while (wire_.TakeReceived(&ticket)) {
    any = true;
    Coming come = coming_.Take(ticket);
    Arrived(&come);
  }
  return any;
}

void TrafficPlayer::Check(RankId from, const MessageHeader& header) const {
  const bool to_here =
      header.destination.value < rank_of_.size() && rank_of_[header.destination.value] == here_ &&
      header.flow.source.value < rank_of_.size() && rank_of_[header.flow.source.value] == from;
  HEDDLE_INVARIANT(
      to_here && header.size > 0,
      fmt::format("a message of {} bytes from node {} to node {} came from rank {}", header.size,
                  header.flow.source.value, header.destination.value, from.value));
  HEDDLE_INVARIANT(header.sequence == sequence_received_[from.value],
                   fmt::format("message {} of rank {} came as its {}th", header.sequence,
                               from.value, sequence_received_[from.value]));
}

void TrafficPlayer::Arrived(Coming* come) {
  const MessageHeader& header = come->header;
  if (contents_ != nullptr)
    contents_->Arrived(header.cookie, header.slice, come->place, header.size);
  if (come->block) pool_.Return(std::move(come->block), header.size);
  const Time now = clock_.Now();
  Record(header, now);
  ++received_;
  ++books_.flows_finished;
  books_.received_bytes += header.size;
  if (agent_ != nullptr) agent_->Received(header.cookie, now);
}

void TrafficPlayer::Record(const MessageHeader& header, Time now) {
  FlowRecord record;
  record.flow = header.flow;
  record.destination = header.destination;
  record.source_port = header.source_port;
  record.destination_port = header.destination_port;
  record.priority = header.priority;
  record.message = header.message;
  record.size = header.size;
  record.start = header.start;
  // Clocks of two machines agree only up to their error.
  record.completion = std::max(now - header.start, Time{0});
  record.origin = header.origin;
  ledger_.AddFlow(record);
  ledger_.AddArrival({header.flow, header.start + record.completion});
}

bool TrafficPlayer::TakeDepartures() {
  bool any = false;
  MessageWire::Ticket ticket = 0;
  while (wire_.TakeSent(&ticket)) {
    any = true;
    Leaving left = leaving_.Take(ticket);
    Left(&left);
    agent_->Sent(left.header.cookie, clock_.Now());
  }
  return any;
}

bool TrafficPlayer::StartDue() {
  bool any = false;
  const Time now = clock_.Now();
  while (queue_.TakeWake(now)) {
    any = true;
    agent_->Woken();
  }
  FlowPost post;
  MessageSlice slice;
  while (queue_.TakeFlow(now, &post, &slice)) {
    any = true;
    Start(post, slice);
  }
  return any;
}

OutgoingBytes TrafficPlayer::Outgoing(const MessageHeader& header) {
  if (contents_ != nullptr) return contents_->Outgoing(header.cookie, header.slice, header.size);
  BufferPool::Block block = pool_.Take(header.size);
  return {block.get(), std::move(block)};
}

void TrafficPlayer::Left(Leaving* left) {
  const MessageHeader& header = left->header;
  if (contents_ != nullptr)
    return contents_->Left(header.cookie, header.slice, header.size, std::move(left->payload));
  pool_.Return(std::move(left->payload.copy), header.size);
}

TrafficPlayer::Coming TrafficPlayer::Incoming(const MessageHeader& header) {
  if (contents_ != nullptr) {
    char* place = contents_->Incoming(header.cookie, header.slice, header.size);
    if (place != nullptr) return {header, place, nullptr};
  }
  BufferPool::Block block = pool_.Take(header.size);
  char* place = block.get();
  return {header, place, std::move(block)};
}

void TrafficPlayer::Start(const FlowPost& post, const MessageSlice& slice) {
  const RankId to = rank_of_[post.destination.value];
  std::uint32_t& number = numbers_[post.source.value];
  MessageHeader header;
  header.cookie = post.cookie;
  header.origin = post.origin;
  header.flow = {post.source, post.numbers.given() ? post.numbers.number : number};
  header.message = post.numbers.given() ? post.numbers.message : number;
  ++number;
  header.destination = post.destination;
  header.size = post.size;
  header.slice = slice;
  header.sequence = sequence_sent_[to.value]++;
  header.source_port = post.numbers.source_port;
  header.destination_port = post.destination_port;
  header.priority = post.priority;
  OutgoingBytes payload = Outgoing(header);
  header.start = clock_.Now();
  const char* bytes = payload.bytes;
  const MessageWire::Ticket ticket = leaving_.Add({header, std::move(payload)});
  wire_.Send(to, &header, bytes, post.size, ticket);
  ++sent_;
  if (to != here_) ++sent_to_others_;
  ++books_.flows_started;
  ++books_.messages_started;
  books_.injected_bytes += post.size;
}

std::string TrafficPlayer::DescribeOpen() const {
  if (!moving()) return "It waits for messages that have not begun to come";
  return fmt::format("{} of its messages are on their way from or to other ranks", wire_.open());
}

void TrafficPlayer::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kExchange, wire_.memory() + pool_.memory());
  account->Add(Structure::kFlowPlans, queue_.memory());
}

}  // namespace heddle
