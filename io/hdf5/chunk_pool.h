// SPDX-License-Identifier: GPL-2.0-only
/// Compression of a result's chunks on all ranks: the root, the only writer, distributes them.
///
/// The compressed bytes depend on the chunks only, not on the rank or the time, so the result's
/// bytes are the same for any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/mpi/communicator.h"
#include "core/mpi/mailbox.h"
#include "io/hdf5/chunk_codec.h"

namespace heddle {

/// A queue: chunks are pushed raw and popped compressed, in the same order.
class ChunkPool final {
 public:
  /// Makes no MPI call. At most one pool of a process may be in Share().
  explicit ChunkPool(const Communicator& world);

  /// Collective. The root calls `work`; the other ranks compress for it until `work` returns or
  /// throws. Outside of Share() the root compresses alone.
  template <class Work>
  void Share(Work&& work) {
    if (!world_.is_root()) return Serve();
    const Session session(this);
    work();
  }

  /// This and the following functions: root only. Adds a chunk of values of `element_bytes` bytes
  /// each.
  void Push(std::vector<char> raw, std::size_t element_bytes);
  /// Removes the oldest chunk and returns it compressed. Waits for it, and compresses others
  /// meanwhile.
  std::vector<char> Pop();
  bool empty() const { return chunks_.empty(); }  ///< no chunk is left to pop
  /// Whether the pool has enough chunks: Pop() before the next Push().
  bool full() const { return chunks_.size() >= window_; }
  /// Removes all chunks; waits for those in work on other ranks.
  void Clear();

 private:
  struct Chunk {
    enum class State { kWaiting, kSent, kDone };
    std::vector<char> bytes;  ///< raw or compressed; empty while another rank has the chunk
    std::size_t element_bytes;
    State state;
  };
  /// The other ranks serve while it lives.
  class Session {
   public:
    explicit Session(ChunkPool* pool) : pool_(pool) { pool_->Begin(); }
    ~Session() { pool_->End(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    ChunkPool* pool_;
  };

  /// Opens the pool to the other ranks and widens its window. Root only.
  void Begin();
  /// Clears the pool and sends the other ranks the message that ends Serve().
  void End();
  /// Compresses what the root sends until its last message. Ends all ranks if memory runs out, as
  /// the root would wait for ever.
  void Serve();
  /// Returns the rank with the fewest chunks; ties are broken in turn, so that no rank waits for
  /// work so long that the root would seem to hang (core/mpi/rank_watchdog.h).
  std::vector<std::uint32_t>::iterator FindIdlest();
  /// Sends waiting chunks to ranks until each has two.
  void HandOut();
  /// Stores one compressed chunk that a rank sent back. False if none has come; `wait`: waits for
  /// it.
  bool TakeBack(bool wait);
  void CompressHere(Chunk* chunk);  ///< on the root

  const Communicator& world_;
  Mailbox mailbox_;
  ChunkEncoder encoder_;
  bool shared_ = false;
  std::size_t window_ = 1;
  std::deque<Chunk> chunks_;
  std::uint64_t first_ = 0;         ///< running number of the oldest chunk
  std::size_t next_waiting_ = 0;    ///< index in chunks_; no chunk before it is queued
  std::size_t under_way_ = 0;       ///< number of chunks with other ranks
  std::vector<std::uint32_t> has_;  ///< number of chunks by rank
  std::size_t turn_ = 0;            ///< rank that is next among equals
};

}  // namespace heddle
