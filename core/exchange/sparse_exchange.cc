// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/sparse_exchange.h"

#include <ns3/mpi-interface.h>

#include <algorithm>

#include "core/mpi/mpi_check.h"

namespace heddle {

SparseExchange::SparseExchange(const Communicator& world, PostOffice* post_office)
    : post_office_(post_office),
      agreement_(world),
      outgoing_(world.size()),
      sends_to_(world.size()) {}

int SparseExchange::Tag() const { return odd_window_ ? 105 : 104; }

void SparseExchange::SendBatches() {
  sends_.clear();
  for (std::uint32_t rank = 0; rank < outgoing_.size(); ++rank) {
    std::vector<AddressedMessage>& outbox = post_office_->outbox(RankId(rank));
    sends_to_[rank] = outbox.empty() ? 0 : 1;
    if (outbox.empty()) continue;
    std::vector<AddressedMessage>& batch = outgoing_[rank];
    batch.clear();
    batch.swap(outbox);
    sends_.emplace_back();
    HEDDLE_MPI(MPI_Isend(batch.data(), static_cast<int>(batch.size() * sizeof batch[0]), MPI_BYTE,
                         static_cast<int>(rank), Tag(), ns3::MpiInterface::GetCommunicator(),
                         &sends_.back()));
  }
}

void SparseExchange::ReceiveBatches(std::uint32_t count, EdgeWait* wait) {
  if (incoming_.size() < count) incoming_.resize(count);
  std::vector<MPI_Request> receives(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    MPI_Message message;
    MPI_Status status;
    wait->Until([&] {
      int found = 0;
      HEDDLE_MPI(MPI_Improbe(MPI_ANY_SOURCE, Tag(), ns3::MpiInterface::GetCommunicator(), &found,
                             &message, &status));
      return found != 0;
    });
    int bytes = 0;
    HEDDLE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    Batch& batch = incoming_[i];
    batch.source = status.MPI_SOURCE;
    batch.records.resize(static_cast<std::size_t>(bytes) / sizeof batch.records[0]);
    HEDDLE_MPI(MPI_Imrecv(batch.records.data(), bytes, MPI_BYTE, &message, &receives[i]));
  }
  wait->ForAll(&receives);
}

EdgeState SparseExchange::Exchange(const EdgeState& mine, EdgeWait* wait) {
  odd_window_ = !odd_window_;
  SendBatches();
  const EdgeAgreement::Outcome outcome = agreement_.Agree(mine, sends_to_, wait);
  ReceiveBatches(outcome.batches_for_me, wait);
  const auto end = incoming_.begin() + outcome.batches_for_me;
  std::sort(incoming_.begin(), end,
            [](const Batch& a, const Batch& b) { return a.source < b.source; });
  for (auto batch = incoming_.begin(); batch != end; ++batch)
    post_office_->Receive(batch->records.data(), batch->records.size());
  wait->ForAll(&sends_);
  return outcome.state;
}

std::size_t SparseExchange::memory() const {
  std::size_t sum = MemoryOf(outgoing_) + MemoryOf(incoming_) + MemoryOf(sends_to_);
  for (const Batch& batch : incoming_) sum += MemoryOf(batch.records);
  return sum;
}

}  // namespace heddle
