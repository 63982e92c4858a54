// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/message_wire.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/mpi/mpi_check.h"
#include "core/mpi/polled_wait.h"

namespace heddle {
namespace {

constexpr int kHeaderTag = 1, kPayloadTag = 2;
constexpr std::size_t kSlots = 64;  ///< receives of headers that are posted at once

/// A count and a type of MPI's for so many bytes.
class Extent {
 public:
  Extent(std::int64_t bytes, std::int64_t most_at_once) {
    if (bytes <= most_at_once) {
      count_ = static_cast<int>(bytes);
      return;
    }
    MPI_Datatype block;
    HEDDLE_MPI(MPI_Type_contiguous(static_cast<int>(most_at_once), MPI_BYTE, &block));
    const std::int64_t blocks = bytes / most_at_once;
    int counts[] = {static_cast<int>(blocks), static_cast<int>(bytes % most_at_once)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(blocks * most_at_once)};
    MPI_Datatype types[] = {block, MPI_BYTE};
    HEDDLE_MPI(MPI_Type_create_struct(2, counts, places, types, &type_));
    HEDDLE_MPI(MPI_Type_commit(&type_));
    HEDDLE_MPI(MPI_Type_free(&block));
    count_ = 1;
  }
  ~Extent() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace

class MessageWire::State {
 public:
  /// Open requests with their tickets, and the tickets of requests that have ended.
  class OpenRequests {
   public:
    MPI_Request* Add(MessageWire::Ticket ticket) {
      tickets_.push_back(ticket);
      requests_.push_back(MPI_REQUEST_NULL);
      return &requests_.back();
    }
    void Ended(MessageWire::Ticket ticket) { ended_.push_back(ticket); }

    bool Take(MessageWire::Ticket* ticket) {
      if (ended_.empty()) Test();
      if (ended_.empty()) return false;
      *ticket = ended_.front();
      ended_.pop_front();
      return true;
    }

    void Drop() {
      for (MPI_Request& request : requests_) {
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
    }
    std::size_t size() const { return requests_.size() + ended_.size(); }
    std::size_t memory() const {
      return MemoryOf(requests_) + MemoryOf(tickets_) + MemoryOf(done_);
    }

   private:
    void Test() {
      if (requests_.empty()) return;
      int count = 0;
      done_.resize(requests_.size());
      HEDDLE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                              done_.data(), MPI_STATUSES_IGNORE));
      if (count <= 0) return;  // MPI_UNDEFINED is negative
      std::sort(done_.begin(), done_.begin() + count);
      for (int i = 0; i < count; ++i)
        ended_.push_back(tickets_[static_cast<std::size_t>(done_[i])]);
      for (int i = count - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(done_[i]);
        requests_[at] = requests_.back();
        tickets_[at] = tickets_.back();
        requests_.pop_back();
        tickets_.pop_back();
      }
    }

    std::vector<MPI_Request> requests_;
    std::vector<MessageWire::Ticket> tickets_;  ///< of requests_
    std::deque<MessageWire::Ticket> ended_;
    std::vector<int> done_;
  };

  State(std::size_t header, std::int64_t most_at_once)
      : header_(header), most_at_once_(most_at_once), slots_(kSlots) {
    comm_ = DuplicateCommunicator();
    for (Slot& slot : slots_) Post(&slot);
  }
  ~State() {
    for (Slot& slot : slots_) {
      MPI_Cancel(&slot.request);
      MPI_Request_free(&slot.request);
    }
    sends_.Drop();
    receives_.Drop();
    for (const std::unique_ptr<Letter>& letter : letters_) {
      if (letter->request != MPI_REQUEST_NULL) MPI_Request_free(&letter->request);
    }
    // The communicator stays until MPI's end: messages may be in transit on it.
  }

  void Send(RankId to, const void* header, const void* payload, std::int64_t bytes, Ticket ticket) {
    const int rank = static_cast<int>(to.value);
    const bool with_header = bytes <= static_cast<std::int64_t>(kInline);
    Letter& letter = FreeLetter();
    std::memcpy(letter.bytes.data(), header, header_);
    const std::size_t more = with_header ? static_cast<std::size_t>(bytes) : 0;
    if (more > 0) std::memcpy(letter.bytes.data() + header_, payload, more);
    HEDDLE_MPI(MPI_Isend(letter.bytes.data(), static_cast<int>(header_ + more), MPI_BYTE, rank,
                         kHeaderTag, comm_, &letter.request));
    if (with_header) return sends_.Ended(ticket);  // it was copied
    const Extent extent(bytes, most_at_once_);
    HEDDLE_MPI(MPI_Isend(payload, extent.count(), extent.type(), rank, kPayloadTag, comm_,
                         sends_.Add(ticket)));
  }

  bool TakeHeader(RankId* from, void* header) {
    Slot& slot = slots_[next_];
    HEDDLE_INVARIANT(!slot.taken, "the payload of a header was not received");
    int there = 0;
    MPI_Status status;
    HEDDLE_MPI(MPI_Test(&slot.request, &there, &status));
    if (there == 0) return false;
    slot.taken = true;
    slot.from = status.MPI_SOURCE;
    *from = RankId(static_cast<std::uint32_t>(status.MPI_SOURCE));
    std::memcpy(header, slot.bytes.data(), header_);
    return true;
  }

  void Receive(void* to, std::int64_t bytes, Ticket ticket) {
    Slot& slot = slots_[next_];
    HEDDLE_INVARIANT(slot.taken, "there is no header");
    if (bytes <= static_cast<std::int64_t>(kInline)) {
      if (bytes > 0) std::memcpy(to, slot.bytes.data() + header_, static_cast<std::size_t>(bytes));
      receives_.Ended(ticket);
    } else {
      const Extent extent(bytes, most_at_once_);
      HEDDLE_MPI(MPI_Irecv(to, extent.count(), extent.type(), slot.from, kPayloadTag, comm_,
                           receives_.Add(ticket)));
    }
    slot.taken = false;
    Post(&slot);
    next_ = (next_ + 1) % kSlots;
  }

  OpenRequests& sends() { return sends_; }
  OpenRequests& receives() { return receives_; }
  const OpenRequests& sends() const { return sends_; }
  const OpenRequests& receives() const { return receives_; }
  std::size_t memory() const {
    return sizeof *this + (kSlots + letters_.size()) * (header_ + kInline + sizeof(Slot)) +
           sends_.memory() + receives_.memory();
  }

 private:
  /// A receive of a header. Slots are posted, and so filled, in turn.
  struct Slot {
    std::vector<char> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    int from = 0;
    bool taken = false;
  };
  /// A header that is being sent.
  struct Letter {
    std::vector<char> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void Post(Slot* slot) {
    slot->bytes.resize(header_ + kInline);
    HEDDLE_MPI(MPI_Irecv(slot->bytes.data(), static_cast<int>(slot->bytes.size()), MPI_BYTE,
                         MPI_ANY_SOURCE, kHeaderTag, comm_, &slot->request));
  }

  /// The oldest letter if it has left, else a new one.
  Letter& FreeLetter() {
    if (!letters_.empty()) {
      int done = 1;
      Letter& oldest = *letters_.front();
      HEDDLE_MPI(MPI_Test(&oldest.request, &done, MPI_STATUS_IGNORE));
      if (done != 0) {
        std::rotate(letters_.begin(), letters_.begin() + 1, letters_.end());
        return *letters_.back();
      }
    }
    letters_.push_back(std::make_unique<Letter>());
    letters_.back()->bytes.resize(header_ + kInline);
    return *letters_.back();
  }

  std::size_t header_;
  std::int64_t most_at_once_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;  ///< slot of the next header
  std::deque<std::unique_ptr<Letter>> letters_;
  OpenRequests sends_, receives_;
};

MessageWire::MessageWire(std::size_t header, std::int64_t most_at_once)
    : state_(std::make_unique<State>(header, most_at_once)) {}
MessageWire::~MessageWire() = default;

void MessageWire::Send(RankId to, const void* header, const void* payload, std::int64_t bytes,
                       Ticket ticket) {
  state_->Send(to, header, payload, bytes, ticket);
}
bool MessageWire::TakeSent(Ticket* ticket) { return state_->sends().Take(ticket); }
bool MessageWire::TakeHeader(RankId* from, void* header) {
  return state_->TakeHeader(from, header);
}
void MessageWire::Receive(void* to, std::int64_t bytes, Ticket ticket) {
  state_->Receive(to, bytes, ticket);
}
bool MessageWire::TakeReceived(Ticket* ticket) { return state_->receives().Take(ticket); }
std::size_t MessageWire::open() const { return state_->sends().size() + state_->receives().size(); }
std::size_t MessageWire::memory() const { return state_->memory(); }

}  // namespace heddle
