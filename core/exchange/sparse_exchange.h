// SPDX-License-Identifier: GPL-2.0-only
/// Sends batches at a window's edge only to ranks for which there are messages; the agreement runs
/// at the same time.
///
/// With many ranks each has few partners in a window: a rank simulates some servers of a pod, and
/// traffic below their leaves never leaves the pod.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/events/post_office.h"
#include "core/exchange/edge_agreement.h"
#include "core/exchange/edge_state.h"
#include "core/exchange/edge_wait.h"
#include "core/mpi/communicator.h"

namespace heddle {

class SparseExchange {
 public:
  /// `post_office`: owner of the outboxes; must outlive it.
  SparseExchange(const Communicator& world, PostOffice* post_office);

  /// Sends all outboxes, delivers the received messages, returns the agreed state. Collective.
  EdgeState Exchange(const EdgeState& mine, EdgeWait* wait);
  /// Returns the bytes allocated for batches.
  std::size_t memory() const;

 private:
  struct Batch {
    int source = 0;
    std::vector<AddressedMessage> records;
  };

  /// Returns the MPI tag of this window: a rank may be one window ahead of another, never two.
  int Tag() const;
  /// Starts to send the outboxes that hold messages, and notes to whom in sends_to_.
  void SendBatches();
  /// Receives and delivers `count` batches of this window, from any ranks.
  void ReceiveBatches(std::uint32_t count, EdgeWait* wait);

  PostOffice* post_office_;
  EdgeAgreement agreement_;
  bool odd_window_ = false;
  std::vector<std::vector<AddressedMessage>> outgoing_;  ///< by rank
  std::vector<Batch> incoming_;          ///< batches of one window; the rest are free buffers
  std::vector<std::uint32_t> sends_to_;  ///< by rank
  std::vector<MPI_Request> sends_;
};

}  // namespace heddle
