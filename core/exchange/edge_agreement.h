// SPDX-License-Identifier: GPL-2.0-only
/// Agreement of all ranks on the state of an edge, in log2(ranks) steps. Each rank also learns how
/// many batches have been sent to it.
///
/// Source: recursive doubling (Thakur, Rabenseifner, Gropp: "Optimization of Collective
/// Communication Operations in MPICH", IJHPCA 2005, section 4.4); ranks beyond a power of two take
/// one extra step before and one after. Used instead of MPI_Iallreduce, whose waits spin or,
/// nonblocking, are a reduction and a broadcast.
#pragma once

#include <cstdint>
#include <vector>

#include "core/exchange/edge_state.h"
#include "core/exchange/edge_wait.h"
#include "core/mpi/communicator.h"

namespace heddle {

class EdgeAgreement {
 public:
  /// Reserves the words of a step: the state and a count a rank.
  explicit EdgeAgreement(const Communicator& world);

  struct Outcome {
    EdgeState state;  ///< of all ranks together
    std::uint32_t batches_for_me = 0;
  };
  /// Agrees on the state. `sends_to`: by rank, 1 if this rank has sent a batch to it, else 0.
  /// Collective.
  Outcome Agree(const EdgeState& mine, const std::vector<std::uint32_t>& sends_to, EdgeWait* wait);

 private:
  /// Sends what is known to `partner`, receives what it knows, or both, and waits for that.
  void Exchange(std::uint32_t partner, bool send, bool receive, EdgeWait* wait);
  /// Adds the received state and counts to the known ones.
  void Merge();

  std::uint32_t rank_, ranks_;
  std::vector<std::uint32_t> known_, came_;  ///< state, then the number of batches by destination
};

}  // namespace heddle
