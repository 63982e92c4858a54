// SPDX-License-Identifier: GPL-2.0-only
/// Sends a batch, empty or not, to all other ranks at a window's edge. The agreement travels in the
/// batches, at no extra cost.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/events/post_office.h"
#include "core/exchange/edge_state.h"
#include "core/exchange/edge_wait.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// A batch travels as a first piece of fixed size and, if it is larger, a second one of known size.
class DenseExchange {
 public:
  /// `post_office`: owner of the outboxes; must outlive it.
  DenseExchange(const Communicator& world, PostOffice* post_office);

  /// Sends all outboxes, delivers the received messages, returns the agreed state. Collective.
  EdgeState Exchange(const EdgeState& mine, EdgeWait* wait);
  /// Returns the bytes allocated for batches.
  std::size_t memory() const;

 private:
  struct Header {
    EdgeState state;
    std::int64_t count = 0;
  };
  static constexpr std::size_t kFirstPiece = 447;  ///< records; with the header about 32 KiB
  static_assert(kFirstPiece % (1 + kTailRecords) == 0, "a message is not torn from its tail");
  struct Other {
    int rank = 0;
    std::vector<char> send, receive;
    std::vector<AddressedMessage> rest_out, rest_in;
  };

  /// Posts a receive for the first piece of every other rank.
  void StartReceives();
  /// Starts to send every outbox with this rank's state, and empties it.
  void SendBatches(const EdgeState& mine);
  /// Delivers the batch of one rank, and waits for its second piece if there is one. Returns that
  /// rank's state.
  EdgeState Deliver(Other* from, EdgeWait* wait);

  PostOffice* post_office_;
  std::vector<Other> others_;  ///< ascending by rank
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace heddle
