// SPDX-License-Identifier: GPL-2.0-only
/// Batches of a window's edge to all other ranks, empty or not: the agreement travels in them, so
/// it costs nothing.
#ifndef HEDDLE_CORE_ENGINE_DENSE_EXCHANGE_H_
#define HEDDLE_CORE_ENGINE_DENSE_EXCHANGE_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/engine/edge_state.h"
#include "core/engine/edge_wait.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// A batch travels in a first piece of fixed room and, when it is larger, a second one of known
/// size.
class DenseExchange {
 public:
  DenseExchange(const Communicator& world, PostOffice* post_office);

  /// Send all outboxes, deliver what came, return the agreed state. Collective.
  EdgeState Exchange(const EdgeState& mine, EdgeWait* wait);
  /// Bytes of the batches.
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

  void StartReceives();
  void SendBatches(const EdgeState& mine);
  /// What came from one rank.
  EdgeState Deliver(Other* from, EdgeWait* wait);

  PostOffice* post_office_;
  std::vector<Other> others_;  ///< ascending
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_DENSE_EXCHANGE_H_
