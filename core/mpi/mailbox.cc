// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/mailbox.h"

#include <mpi.h>

#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "core/mpi/mpi_check.h"
#include "core/mpi/ns3_communicator.h"
#include "core/mpi/polled_wait.h"
#include "core/mpi/rank_watchdog.h"

namespace heddle {
namespace {

constexpr int kMailboxTag = 78;

}  // namespace

struct Mailbox::Letter {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

Mailbox::Mailbox(const Communicator& world) : serial_(world.size() == 1) {}

Mailbox::~Mailbox() {
  for (std::unique_ptr<Letter>& letter : sent_)
    static_cast<void>(letter.release());  // MPI may still read them
}

void Mailbox::Send(RankId to, std::vector<char> bytes) {
  HEDDLE_INVARIANT(
      !serial_ && bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
      "a message that no other rank can take");
  DropSent();
  sent_.push_back(std::make_unique<Letter>());
  Letter& letter = *sent_.back();
  letter.bytes = std::move(bytes);
  HEDDLE_MPI(MPI_Isend(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE,
                       static_cast<int>(to.value), kMailboxTag, Ns3Communicator(),
                       &letter.request));
}

bool Mailbox::Receive(RankId* from, std::vector<char>* bytes) {
  if (serial_) return false;
  int there = 0;
  MPI_Status status;
  HEDDLE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, kMailboxTag, Ns3Communicator(), &there, &status));
  if (there == 0) return false;
  int count = 0;
  HEDDLE_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
  bytes->resize(static_cast<std::size_t>(count));
  HEDDLE_MPI(MPI_Recv(bytes->data(), count, MPI_BYTE, status.MPI_SOURCE, kMailboxTag,
                      Ns3Communicator(), MPI_STATUS_IGNORE));
  *from = RankId(static_cast<std::uint32_t>(status.MPI_SOURCE));
  return true;
}

void Mailbox::Await(RankId* from, std::vector<char>* bytes) {
  WatchedWait patience(WaitKind::kCollective, MPI_Wtime());
  while (!Receive(from, bytes)) {
    patience.Turn(MPI_Wtime());
    DropSent();  // also lets MPI make progress on them
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Mailbox::Flush() {
  for (const std::unique_ptr<Letter>& letter : sent_) AwaitRequest(&letter->request);
  sent_.clear();
}

void Mailbox::DropSent() {
  for (auto letter = sent_.begin(); letter != sent_.end();) {
    int done = 0;
    HEDDLE_MPI(MPI_Test(&(*letter)->request, &done, MPI_STATUS_IGNORE));
    letter = done != 0 ? sent_.erase(letter) : std::next(letter);
  }
}

}  // namespace heddle
