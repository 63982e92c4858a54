// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/edge_agreement.h"

#include <ns3/mpi-interface.h>

#include <cstring>

#include "core/mpi/mpi_check.h"

namespace heddle {
namespace {

constexpr int kTag = 103;
/// Size of the state in words of 32 bits.
constexpr std::size_t kStateWords = sizeof(EdgeState) / sizeof(std::uint32_t);
static_assert(sizeof(EdgeState) % sizeof(std::uint32_t) == 0);

std::uint32_t LargestPowerOfTwo(std::uint32_t most) {
  std::uint32_t power = 1;
  while (power <= most / 2) power *= 2;
  return power;
}

}  // namespace

EdgeAgreement::EdgeAgreement(const Communicator& world)
    : rank_(world.rank().value),
      ranks_(world.size()),
      known_(kStateWords + ranks_),
      came_(known_.size()) {}

EdgeAgreement::Outcome EdgeAgreement::Agree(const EdgeState& mine,
                                            const std::vector<std::uint32_t>& sends_to,
                                            EdgeWait* wait) {
  std::memcpy(known_.data(), &mine, sizeof mine);
  std::copy(sends_to.begin(), sends_to.end(), known_.begin() + kStateWords);
  // Each rank beyond the power of two is represented by one inner rank.
  const std::uint32_t inner = LargestPowerOfTwo(ranks_);
  if (rank_ >= inner) {
    Exchange(rank_ - inner, /*send=*/true, /*receive=*/false, wait);
    Exchange(rank_ - inner, /*send=*/false, /*receive=*/true, wait);
    known_.swap(came_);
  } else {
    const bool speaks = rank_ + inner < ranks_;
    if (speaks) {
      Exchange(rank_ + inner, /*send=*/false, /*receive=*/true, wait);
      Merge();
    }
    for (std::uint32_t mask = 1; mask < inner; mask *= 2) {
      Exchange(rank_ ^ mask, /*send=*/true, /*receive=*/true, wait);
      Merge();
    }
    if (speaks) Exchange(rank_ + inner, /*send=*/true, /*receive=*/false, wait);
  }
  Outcome outcome;
  std::memcpy(static_cast<void*>(&outcome.state), known_.data(), sizeof outcome.state);
  outcome.batches_for_me = known_[kStateWords + rank_];
  return outcome;
}

void EdgeAgreement::Exchange(std::uint32_t partner, bool send, bool receive, EdgeWait* wait) {
  const MPI_Comm comm = ns3::MpiInterface::GetCommunicator();
  const int words = static_cast<int>(known_.size());
  std::vector<MPI_Request> requests;
  if (receive) {
    requests.emplace_back();
    HEDDLE_MPI(MPI_Irecv(came_.data(), words, MPI_UINT32_T, static_cast<int>(partner), kTag, comm,
                         &requests.back()));
  }
  if (send) {
    requests.emplace_back();
    HEDDLE_MPI(MPI_Isend(known_.data(), words, MPI_UINT32_T, static_cast<int>(partner), kTag, comm,
                         &requests.back()));
  }
  wait->ForAll(&requests);
}

void EdgeAgreement::Merge() {
  EdgeState state, other;
  std::memcpy(static_cast<void*>(&state), known_.data(), sizeof state);
  std::memcpy(static_cast<void*>(&other), came_.data(), sizeof other);
  state.Lower(other);
  std::memcpy(known_.data(), &state, sizeof state);
  for (std::size_t i = kStateWords; i < known_.size(); ++i) known_[i] += came_[i];
}

}  // namespace heddle
