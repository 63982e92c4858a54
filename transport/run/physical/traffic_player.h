// SPDX-License-Identifier: GPL-2.0-only
/// One rank of real traffic: sends what the agents of its GPUs post, when it is due, receives what
/// other ranks send to its GPUs, and tells the agents.
///
/// The row of a flow is made at its receiver, which knows both times: the sender's is in the
/// header. Nothing is modelled here; a message takes the time that MPI and the machine take.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"
#include "core/containers/buffer_pool.h"
#include "core/mpi/message_wire.h"
#include "core/traffic/flow_agent.h"
#include "transport/model/record/flow_ledger.h"
#include "transport/run/physical/due_posts.h"
#include "transport/run/physical/message_header.h"
#include "transport/run/physical/real_clock.h"

namespace heddle {

class TrafficPlayer {
 public:
  /// `rank_of`: the rank that plays a node, by node. `agent`: null if no GPU here sends.
  /// `contents`: null: payloads are whatever is in memory. All arguments must outlive it.
  /// Collective.
  TrafficPlayer(RankId here, std::uint32_t ranks, const std::vector<RankId>& rank_of,
                const RealClock& clock, DuePosts* queue, FlowAgent* agent,
                MessageContents* contents, FlowLedger* ledger, DomainBooks* books);

  /// Handles what is ready: arrivals, departures, what is due. Returns whether anything was.
  bool Turn();
  /// Whether nothing is under way here and nothing will become due by itself.
  bool idle() const { return wire_.open() == 0 && queue_.next() == Time::Max(); }
  /// Whether messages are being moved.
  bool moving() const { return wire_.open() > 0; }
  /// Messages to and from other ranks and this one so far.
  std::int64_t sent() const { return sent_; }
  std::int64_t received() const { return received_; }
  std::int64_t sent_to_others() const { return sent_to_others_; }
  /// "3 of its messages are on their way ...", a sentence without its full stop.
  std::string DescribeOpen() const;
  /// When it last handled anything.
  Time last() const { return last_; }
  void AddMemory(MemoryAccount* account) const;

 private:
  struct Leaving {
    MessageHeader header;
    OutgoingBytes payload;
  };
  struct Coming {
    MessageHeader header;
    char* place = nullptr;    ///< where the payload is received
    BufferPool::Block block;  ///< `place`, if the contents have no other
  };
  /// Messages under way; the place of one is its ticket.
  template <class Message>
  class Table {
   public:
    MessageWire::Ticket Add(Message message) {
      if (free_.empty()) {
        places_.push_back(std::move(message));
        return static_cast<MessageWire::Ticket>(places_.size() - 1);
      }
      const MessageWire::Ticket ticket = free_.back();
      free_.pop_back();
      places_[ticket] = std::move(message);
      return ticket;
    }
    Message Take(MessageWire::Ticket ticket) {
      free_.push_back(ticket);
      return std::move(places_[ticket]);
    }

   private:
    std::vector<Message> places_;
    std::vector<MessageWire::Ticket> free_;
  };

  bool TakeArrivals();
  bool TakeDepartures();
  bool StartDue();
  void Start(const FlowPost& post, const MessageSlice& slice);
  OutgoingBytes Outgoing(const MessageHeader& header);
  void Left(Leaving* left);
  Coming Incoming(const MessageHeader& header);
  /// Whether the header is one that this rank may get next. Throws InvariantError.
  void Check(RankId from, const MessageHeader& header) const;
  void Arrived(Coming* come);
  void Record(const MessageHeader& header, Time now);

  RankId here_;
  const std::vector<RankId>& rank_of_;
  const RealClock& clock_;
  DuePosts& queue_;
  FlowAgent* agent_;
  MessageContents* contents_;
  FlowLedger& ledger_;
  DomainBooks& books_;
  MessageWire wire_;
  BufferPool pool_;
  Table<Leaving> leaving_;
  Table<Coming> coming_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;      ///< of flows so far, by source
  std::vector<std::uint64_t> sequence_sent_, sequence_received_;  ///< by rank
  std::int64_t sent_ = 0, received_ = 0, sent_to_others_ = 0;
  Time last_;
};

}  // namespace heddle
