// SPDX-License-Identifier: GPL-2.0-only
/// Batches of a window's edge to those ranks only for which there is something, and the agreement
/// beside them.
///
/// Many ranks have few partners in a window: a rank simulates the servers of a part of a pod, and
/// what stays below its leaves is no matter of other pods'.
#ifndef HEDDLE_CORE_ENGINE_SPARSE_EXCHANGE_H_
#define HEDDLE_CORE_ENGINE_SPARSE_EXCHANGE_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/engine/edge_agreement.h"
#include "core/engine/edge_state.h"
#include "core/engine/edge_wait.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"

namespace heddle {

class SparseExchange {
 public:
  SparseExchange(const Communicator& world, PostOffice* post_office);

  /// Send all outboxes, deliver what came, return the agreed state. Collective.
  EdgeState Exchange(const EdgeState& mine, EdgeWait* wait);
  /// Bytes of the batches.
  std::size_t memory() const;

 private:
  struct Batch {
    int source = 0;
    std::vector<AddressedMessage> records;
  };

  /// Of this window: a rank may be a window ahead of another, never two.
  int Tag() const;
  void SendBatches();
  void ReceiveBatches(std::uint32_t count, EdgeWait* wait);

  PostOffice* post_office_;
  EdgeAgreement agreement_;
  bool odd_window_ = false;
  std::vector<std::vector<AddressedMessage>> outgoing_;  ///< by rank
  std::vector<Batch> incoming_;          ///< of one window, the rest are room for others
  std::vector<std::uint32_t> sends_to_;  ///< by rank
  std::vector<MPI_Request> sends_;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_SPARSE_EXCHANGE_H_
