// SPDX-License-Identifier: GPL-2.0-only
/// One rank of real traffic: sends what the agents of its GPUs post, when it is due, receives what
/// other ranks send to its GPUs, and notifies the agents.
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
  /// Returns the messages sent so far, to other ranks and this one.
  std::int64_t sent() const { return sent_; }
  std::int64_t received() const { return received_; }  ///< messages from other ranks and this one
  /// Returns the messages sent so far to other ranks.
  std::int64_t sent_to_others() const { return sent_to_others_; }
  /// Returns a sentence without its full stop, as "3 of its messages are on their way ...".
  std::string DescribeOpen() const;
  /// Returns when it last handled anything, by the run's clock.
  Time last() const { return last_; }
  /// Adds the bytes of wire and pool to Structure::kExchange, and of waiting posts to kFlowPlans.
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
    /// Keeps a message. Returns its ticket.
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
    /// Returns the message of a ticket, which may be given again.
    Message Take(MessageWire::Ticket ticket) {
      free_.push_back(ticket);
      return std::move(places_[ticket]);
    }

   private:
    std::vector<Message> places_;
    std::vector<MessageWire::Ticket> free_;
  };

  /// Begins to receive what headers announce, and hands over what has come. Returns whether
  /// anything was.
  bool TakeArrivals();
  /// Notifies the agent of messages that have left, and frees their bytes. Returns whether any had.
  bool TakeDepartures();
  /// Calls Woken() and sends messages, as far as they are due. Returns whether anything was.
  bool StartDue();
  /// Sends a message, its start the moment before MPI gets it. Counts it in the books.
  void Start(const FlowPost& post, const MessageSlice& slice);
  /// Returns the bytes to send: those of the contents, or a block of the pool.
  OutgoingBytes Outgoing(const MessageHeader& header);
  /// Gives the bytes of a message that has left back to the contents or the pool.
  void Left(Leaving* left);
  /// Returns where a message is received: a place of the contents, or a block of the pool.
  Coming Incoming(const MessageHeader& header);
  /// Whether the header is one that this rank may get next. Throws InvariantError.
  void Check(RankId from, const MessageHeader& header) const;
  /// Hands the payload to the contents, writes the row, and notifies the agent.
  void Arrived(Coming* come);
  /// Writes row and arrival of a message received at `now`. Its time is 0 at least, as two
  /// machines' clocks may differ.
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
