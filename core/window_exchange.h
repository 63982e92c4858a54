// SPDX-License-Identifier: GPL-2.0-only
/// The exchange at a window's edge: one batch of messages a neighbour, and the agreement on when the next window starts.
#ifndef HEDDLE_CORE_WINDOW_EXCHANGE_H_
#define HEDDLE_CORE_WINDOW_EXCHANGE_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/communicator.h"
#include "core/post_office.h"

namespace heddle {

/// What ranks agree on at an edge; element-wise minimum over ranks.
struct EdgeState {
  std::int64_t next_time_ps = 0;       ///< first event anywhere
  std::int64_t next_ns3_event_ps = 0;  ///< first event of ns-3's own anywhere
  std::int64_t wants_report = 0;       ///< -1 if a rank asks for a report, -2 if it asks for the end of the run, else 0
};

/// Batches travel in a first piece of fixed room and, when they are larger, a second one of known size.
/// If every rank neighbours every other, the agreement travels in the batches; otherwise in one small allreduce.
class WindowExchange {
 public:
  WindowExchange(const Communicator& world, PostOffice* post_office, const std::vector<RankId>& neighbours);

  /// Send all outboxes, deliver what came, return the agreed state. Collective.
  EdgeState Exchange(const EdgeState& mine);

  double blocked_seconds() const { return blocked_; }
  std::uint64_t messages_sent() const { return sent_; }
  /// Bytes of the batches.
  std::size_t memory() const;

 private:
  struct Header {
    EdgeState state;
    std::int64_t count = 0;
  };
  static constexpr std::size_t kFirstPiece = 447;  ///< records; with the header about 32 KiB
  static_assert(kFirstPiece % (1 + kTailRecords) == 0, "a message is not torn from its tail");
  struct Neighbour {
    int rank = 0;
    std::vector<char> send, receive;
    std::vector<AddressedMessage> rest_out, rest_in;
  };

  /// Wait, and count the time as blocked.
  void WaitForAll(std::vector<MPI_Request>* requests);
  void StartReceives();
  void SendBatches(const EdgeState& mine);

  PostOffice* post_office_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> receives_, sends_;
  bool all_adjacent_;
  bool serial_;
  double poll_seconds_;
  double blocked_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_WINDOW_EXCHANGE_H_
