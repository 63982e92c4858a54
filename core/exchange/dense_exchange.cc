// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/dense_exchange.h"

#include <ns3/mpi-interface.h>

#include <algorithm>
#include <cstring>

#include "core/mpi/mpi_check.h"

namespace heddle {
namespace {

constexpr int kFirstTag = 101;
constexpr int kRestTag = 102;

}  // namespace

DenseExchange::DenseExchange(const Communicator& world, PostOffice* post_office)
    : post_office_(post_office) {
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    if (RankId(rank) == world.rank()) continue;
    others_.emplace_back();
    others_.back().rank = static_cast<int>(rank);
  }
}

void DenseExchange::StartReceives() {
  receives_.resize(others_.size());
  for (std::size_t i = 0; i < others_.size(); ++i) {
    Other& other = others_[i];
    other.receive.resize(sizeof(Header) + kFirstPiece * sizeof(AddressedMessage));
    HEDDLE_MPI(MPI_Irecv(other.receive.data(), static_cast<int>(other.receive.size()), MPI_BYTE,
                         other.rank, kFirstTag, ns3::MpiInterface::GetCommunicator(),
                         &receives_[i]));
  }
}

void DenseExchange::SendBatches(const EdgeState& mine) {
  const MPI_Comm comm = ns3::MpiInterface::GetCommunicator();
  sends_.clear();
  for (Other& other : others_) {
    std::vector<AddressedMessage>& outbox =
        post_office_->outbox(RankId(static_cast<std::uint32_t>(other.rank)));
    const Header header{mine, static_cast<std::int64_t>(outbox.size())};
    const std::size_t first = std::min(outbox.size(), kFirstPiece);
    other.send.resize(sizeof(Header) + first * sizeof(AddressedMessage));
    std::memcpy(other.send.data(), &header, sizeof header);
    if (first > 0)
      std::memcpy(other.send.data() + sizeof header, outbox.data(),
                  first * sizeof(AddressedMessage));
    sends_.emplace_back();
    HEDDLE_MPI(MPI_Isend(other.send.data(), static_cast<int>(other.send.size()), MPI_BYTE,
                         other.rank, kFirstTag, comm, &sends_.back()));
    other.rest_out.clear();
    if (outbox.size() > first) {
      // Sends the outbox's own memory; the empty buffer replaces it.
      other.rest_out.swap(outbox);
      sends_.emplace_back();
      HEDDLE_MPI(
          MPI_Isend(other.rest_out.data() + first,
                    static_cast<int>((other.rest_out.size() - first) * sizeof(AddressedMessage)),
                    MPI_BYTE, other.rank, kRestTag, comm, &sends_.back()));
    }
    outbox.clear();
  }
}

EdgeState DenseExchange::Deliver(Other* from, EdgeWait* wait) {
  Header header;
  std::memcpy(&header, from->receive.data(), sizeof header);
  const std::size_t count = static_cast<std::size_t>(header.count);
  const std::size_t first = std::min(count, kFirstPiece);
  post_office_->Receive(from->receive.data() + sizeof header, first);
  if (count > first) {
    from->rest_in.resize(count - first);
    std::vector<MPI_Request> rest(1);
    HEDDLE_MPI(MPI_Irecv(
        from->rest_in.data(), static_cast<int>(from->rest_in.size() * sizeof(AddressedMessage)),
        MPI_BYTE, from->rank, kRestTag, ns3::MpiInterface::GetCommunicator(), &rest[0]));
    wait->ForAll(&rest);
    post_office_->Receive(from->rest_in.data(), from->rest_in.size());
  }
  return header.state;
}

EdgeState DenseExchange::Exchange(const EdgeState& mine, EdgeWait* wait) {
  StartReceives();
  SendBatches(mine);
  wait->ForAll(&receives_);
  EdgeState agreed = mine;
  for (Other& other : others_) agreed.Lower(Deliver(&other, wait));
  wait->ForAll(&sends_);
  return agreed;
}

std::size_t DenseExchange::memory() const {
  std::size_t sum = MemoryOf(others_);
  for (const Other& other : others_) {
    sum += MemoryOf(other.send) + MemoryOf(other.receive) + MemoryOf(other.rest_out) +
           MemoryOf(other.rest_in);
  }
  return sum;
}

}  // namespace heddle
