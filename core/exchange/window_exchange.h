// SPDX-License-Identifier: GPL-2.0-only
/// The exchange at a window's edge: batches of messages to other ranks, and the agreement on when
/// the next window starts.
#pragma once

#include <cstdint>

#include "core/events/post_office.h"
#include "core/exchange/dense_exchange.h"
#include "core/exchange/edge_state.h"
#include "core/exchange/edge_wait.h"
#include "core/exchange/exchange_kind.h"
#include "core/exchange/sparse_exchange.h"
#include "core/mpi/communicator.h"

namespace heddle {

class WindowExchange {
 public:
  /// `costs`: network costs by which kAuto chooses.
  WindowExchange(const Communicator& world, PostOffice* post_office, ExchangeKind kind,
                 const EdgeCosts& costs = {});

  /// Sends all outboxes, delivers the received messages, returns the agreed state. Collective.
  EdgeState Exchange(EdgeState mine);

  /// Returns the time that this rank has waited for others so far [s].
  double blocked_seconds() const { return wait_.blocked_seconds(); }
  /// Returns the number of messages that this rank has sent to others so far.
  std::uint64_t messages_sent() const { return sent_; }
  /// Returns the number of windows in which batches went to some ranks only.
  std::uint64_t windows_with_some() const { return windows_with_some_; }
  /// Returns the bytes allocated for batches.
  std::size_t memory() const { return dense_.memory() + sparse_.memory(); }

 private:
  PostOffice* post_office_;
  std::uint32_t ranks_;
  ExchangeKind kind_;
  EdgeCosts costs_;
  EdgeWait wait_;
  DenseExchange dense_;
  SparseExchange sparse_;
  bool to_some_;  ///< how the next window is exchanged, the same on all ranks
  std::uint64_t sent_ = 0, windows_with_some_ = 0;
};

}  // namespace heddle
