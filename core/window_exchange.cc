// SPDX-License-Identifier: GPL-2.0-only
#include "core/window_exchange.h"

#include <ns3/mpi-interface.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <thread>

#include "core/mpi_check.h"

namespace heddle {
namespace {

constexpr int kFirstTag = 101;
constexpr int kRestTag = 102;

void Lower(EdgeState* state, const EdgeState& other) {
  state->next_time_ps = std::min(state->next_time_ps, other.next_time_ps);
  state->next_ns3_event_ps = std::min(state->next_ns3_event_ps, other.next_ns3_event_ps);
  state->wants_report = std::min(state->wants_report, other.wants_report);
}

/// How long a wait may poll before it sleeps [s]. Where each rank has a core of its own, polling is fastest, and a sleep
/// costs more than a window; where ranks share cores, the one that is waited for needs the core. (MPI's own wait spins: with
/// four ranks on two cores a window then costs time slices, milliseconds instead of microseconds.)
double PollSeconds() {
  MPI_Comm node;
  HEDDLE_MPI(MPI_Comm_split_type(ns3::MpiInterface::GetCommunicator(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  int ranks_here = 1;
  HEDDLE_MPI(MPI_Comm_size(node, &ranks_here));
  HEDDLE_MPI(MPI_Comm_free(&node));
  const bool shared_cores = static_cast<unsigned>(ranks_here) > std::thread::hardware_concurrency();
  return shared_cores ? 5e-6 : 10e-3;
}

}  // namespace

WindowExchange::WindowExchange(const Communicator& world, PostOffice* post_office,
                               const std::vector<RankId>& neighbours)
    : post_office_(post_office),
      // One rank may neighbour all others while those do not neighbour each other: all must choose alike.
      all_adjacent_(world.Min(std::int64_t{neighbours.size() + 1 == world.size()}) != 0),
      serial_(world.size() == 1),
      poll_seconds_(serial_ ? 0 : PollSeconds()) {
  for (RankId rank : neighbours) {
    Neighbour neighbour;
    neighbour.rank = static_cast<int>(rank.value);
    neighbour.receive.resize(sizeof(Header) + kFirstPiece * sizeof(AddressedMessage));
    neighbours_.push_back(std::move(neighbour));
  }
}

void WindowExchange::WaitForAll(std::vector<MPI_Request>* requests) {
  constexpr long kSleepNanoseconds = 1000;
  const double start = MPI_Wtime();
  for (;;) {
    int done = 0;
    HEDDLE_MPI(MPI_Testall(static_cast<int>(requests->size()), requests->data(), &done, MPI_STATUSES_IGNORE));
    const double waited = MPI_Wtime() - start;
    if (done != 0) {
      blocked_ += waited;
      return;
    }
    if (waited < poll_seconds_) continue;
    const timespec pause{0, kSleepNanoseconds};
    nanosleep(&pause, nullptr);
  }
}

void WindowExchange::StartReceives() {
  receives_.resize(neighbours_.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    Neighbour& neighbour = neighbours_[i];
    HEDDLE_MPI(MPI_Irecv(neighbour.receive.data(), static_cast<int>(neighbour.receive.size()), MPI_BYTE,
                         neighbour.rank, kFirstTag, ns3::MpiInterface::GetCommunicator(), &receives_[i]));
  }
}

void WindowExchange::SendBatches(const EdgeState& mine) {
  const MPI_Comm comm = ns3::MpiInterface::GetCommunicator();
  sends_.clear();
  for (Neighbour& neighbour : neighbours_) {
    std::vector<AddressedMessage>& outbox = post_office_->outbox(RankId(static_cast<std::uint32_t>(neighbour.rank)));
    const Header header{mine, static_cast<std::int64_t>(outbox.size())};
    const std::size_t first = std::min(outbox.size(), kFirstPiece);
    neighbour.send.resize(sizeof(Header) + first * sizeof(AddressedMessage));
    std::memcpy(neighbour.send.data(), &header, sizeof header);
    if (first > 0) {
      std::memcpy(neighbour.send.data() + sizeof header, outbox.data(), first * sizeof(AddressedMessage));
    }
    sends_.emplace_back();
    HEDDLE_MPI(MPI_Isend(neighbour.send.data(), static_cast<int>(neighbour.send.size()), MPI_BYTE,
                         neighbour.rank, kFirstTag, comm, &sends_.back()));
    sent_ += outbox.size() / post_office_->stride();
    neighbour.rest_out.clear();
    if (outbox.size() > first) {
      // The outbox itself is sent; the empty one takes its place.
      neighbour.rest_out.swap(outbox);
      sends_.emplace_back();
      HEDDLE_MPI(MPI_Isend(neighbour.rest_out.data() + first,
                           static_cast<int>((neighbour.rest_out.size() - first) * sizeof(AddressedMessage)),
                           MPI_BYTE, neighbour.rank, kRestTag, comm, &sends_.back()));
    }
    outbox.clear();
  }
}

EdgeState WindowExchange::Exchange(const EdgeState& mine) {
  if (serial_) return mine;
  StartReceives();
  SendBatches(mine);
  EdgeState agreed = mine;
  if (!all_adjacent_) {
    static_assert(sizeof(EdgeState) == 3 * sizeof(std::int64_t));
    receives_.emplace_back();
    HEDDLE_MPI(MPI_Iallreduce(&mine, &agreed, 3, MPI_INT64_T, MPI_MIN, ns3::MpiInterface::GetCommunicator(),
                              &receives_.back()));
  }
  WaitForAll(&receives_);
  for (Neighbour& neighbour : neighbours_) {
    Header header;
    std::memcpy(&header, neighbour.receive.data(), sizeof header);
    if (all_adjacent_) Lower(&agreed, header.state);
    const std::size_t count = static_cast<std::size_t>(header.count);
    const std::size_t first = std::min(count, kFirstPiece);
    post_office_->Receive(neighbour.receive.data() + sizeof header, first);
    if (count > first) {
      neighbour.rest_in.resize(count - first);
      std::vector<MPI_Request> rest(1);
      HEDDLE_MPI(MPI_Irecv(neighbour.rest_in.data(),
                           static_cast<int>(neighbour.rest_in.size() * sizeof(AddressedMessage)), MPI_BYTE,
                           neighbour.rank, kRestTag, ns3::MpiInterface::GetCommunicator(), &rest[0]));
      WaitForAll(&rest);
      post_office_->Receive(neighbour.rest_in.data(), neighbour.rest_in.size());
    }
  }
  WaitForAll(&sends_);
  return agreed;
}

std::size_t WindowExchange::memory() const {
  std::size_t sum = MemoryOf(neighbours_);
  for (const Neighbour& neighbour : neighbours_) {
    sum += MemoryOf(neighbour.send) + MemoryOf(neighbour.receive) + MemoryOf(neighbour.rest_out) + MemoryOf(neighbour.rest_in);
  }
  return sum;
}

}  // namespace heddle
