// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/chunk_pool.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Chunks with a rank at once: one in work, and one queued, so that the rank is never idle.
constexpr std::uint32_t kChunksPerRank = 2;
/// Chunks queued or in work for each rank: enough to keep all ranks busy; at most 128 MiB if all
/// are full.
constexpr std::size_t kWindowPerRank = 4;
constexpr std::size_t kMaxWindow = 256;

/// The header of a message.
struct Envelope {
  enum class Kind : std::uint32_t { kRaw, kCompressed, kStop };
  std::uint64_t number;
  std::uint32_t element_bytes;
  Kind kind;
};
static_assert(sizeof(Envelope) == 16);

std::vector<char> Seal(const Envelope& envelope, const std::vector<char>& bytes) {
  std::vector<char> message(sizeof envelope + bytes.size());
  std::memcpy(message.data(), &envelope, sizeof envelope);
  if (!bytes.empty()) std::memcpy(message.data() + sizeof envelope, bytes.data(), bytes.size());
  return message;
}

Envelope EnvelopeOf(const std::vector<char>& message) {
  Envelope envelope;
  HEDDLE_INVARIANT(message.size() >= sizeof envelope, "a message of the chunk pool is too short");
  std::memcpy(&envelope, message.data(), sizeof envelope);
  return envelope;
}

}  // namespace

ChunkPool::ChunkPool(const Communicator& world)
    : world_(world), mailbox_(world), has_(world.size()) {}

void ChunkPool::Begin() {
  shared_ = world_.size() > 1;
  window_ = shared_ ? std::min(kWindowPerRank * world_.size(), kMaxWindow) : 1;
}

void ChunkPool::End() {
  Clear();
  for (std::uint32_t rank = 1; shared_ && rank < world_.size(); ++rank) {
    mailbox_.Send(RankId(rank), Seal({0, 0, Envelope::Kind::kStop}, {}));
  }
  if (shared_) mailbox_.Flush();
  shared_ = false;
  window_ = 1;
}

void ChunkPool::Push(std::vector<char> raw, std::size_t element_bytes) {
  chunks_.push_back({std::move(raw), element_bytes, Chunk::State::kWaiting});
  while (TakeBack(false)) {
  }
  HandOut();
}

std::vector<char> ChunkPool::Pop() {
  HEDDLE_INVARIANT(!chunks_.empty(), "no chunk was given to the pool");
  while (chunks_.front().state != Chunk::State::kDone) {
    while (TakeBack(false)) {
    }
    HandOut();
    if (chunks_.front().state == Chunk::State::kDone) break;
    if (next_waiting_ < chunks_.size()) {
      CompressHere(&chunks_[next_waiting_++]);
    } else {
      TakeBack(true);
    }
  }
  std::vector<char> bytes = std::move(chunks_.front().bytes);
  chunks_.pop_front();
  ++first_;
  --next_waiting_;
  return bytes;
}

void ChunkPool::Clear() {
  while (under_way_ > 0) TakeBack(true);
  first_ += chunks_.size();
  chunks_.clear();
  next_waiting_ = 0;
}

std::vector<std::uint32_t>::iterator ChunkPool::FindIdlest() {
  const auto turn = has_.begin() + 1 + static_cast<std::ptrdiff_t>(turn_++ % (has_.size() - 1));
  const auto behind = std::min_element(turn, has_.end()),
             before = std::min_element(has_.begin() + 1, turn);
  return before != turn && *before < *behind ? before : behind;
}

void ChunkPool::HandOut() {
  while (shared_ && next_waiting_ < chunks_.size()) {
    const auto idlest = FindIdlest();
    if (*idlest >= kChunksPerRank) return;
    Chunk& chunk = chunks_[next_waiting_];
    const Envelope envelope{first_ + next_waiting_, static_cast<std::uint32_t>(chunk.element_bytes),
                            Envelope::Kind::kRaw};
    mailbox_.Send(RankId(static_cast<std::uint32_t>(idlest - has_.begin())),
                  Seal(envelope, chunk.bytes));
    chunk.bytes = {};
    chunk.state = Chunk::State::kSent;
    ++next_waiting_;
    ++under_way_;
    ++*idlest;
  }
}

bool ChunkPool::TakeBack(bool wait) {
  if (under_way_ == 0) return false;
  RankId from(0);
  std::vector<char> message;
  if (wait) {
    mailbox_.Await(&from, &message);
  } else if (!mailbox_.Receive(&from, &message)) {
    return false;
  }
  const Envelope envelope = EnvelopeOf(message);
  HEDDLE_INVARIANT(envelope.number >= first_ && envelope.number - first_ < chunks_.size(),
                   "a chunk came back that is not in the pool");
  --under_way_;
  --has_[from.value];
  Chunk& chunk = chunks_[envelope.number - first_];
  chunk.bytes.assign(message.begin() + sizeof envelope, message.end());
  chunk.state = Chunk::State::kDone;
  return true;
}

void ChunkPool::CompressHere(Chunk* chunk) {
  chunk->bytes = encoder_.Encode(chunk->bytes.data(), chunk->bytes.size(), chunk->element_bytes);
  chunk->state = Chunk::State::kDone;
}

void ChunkPool::Serve() {
  RankId from(0);
  std::vector<char> message;
  try {
    for (;;) {
      mailbox_.Await(&from, &message);
      Envelope envelope = EnvelopeOf(message);
      if (envelope.kind == Envelope::Kind::kStop) break;
      const char* raw = message.data() + sizeof envelope;
      const std::vector<char> bytes =
          encoder_.Encode(raw, message.size() - sizeof envelope, envelope.element_bytes);
      envelope.kind = Envelope::Kind::kCompressed;
      mailbox_.Send(from, Seal(envelope, bytes));
    }
    mailbox_.Flush();
  } catch (const std::bad_alloc&) {
    // The root waits for a chunk that will not come, so this error ends all ranks.
    std::fprintf(stderr, "heddle: rank %u: out of memory\n", world_.rank().value);
    Communicator::Abort(ExitCode::kTooLittleMemory);
  }
}

}  // namespace heddle
