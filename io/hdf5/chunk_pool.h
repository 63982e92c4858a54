// SPDX-License-Identifier: GPL-2.0-only
/// Compression of a result's chunks on all ranks: the root, which alone writes, hands them out.
///
/// What the root gets back depends on the chunks only, not on who compressed them or when, so the
/// result's bytes are the same for any number of ranks.
#ifndef HEDDLE_IO_HDF5_CHUNK_POOL_H_
#define HEDDLE_IO_HDF5_CHUNK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/mpi/communicator.h"
#include "core/mpi/mailbox.h"
#include "io/hdf5/chunk_codec.h"

namespace heddle {

/// A queue: chunks go in raw and come out compressed, in the same order.
class ChunkPool final {
 public:
  /// Makes no call of MPI. One a process at a time may be in Share().
  explicit ChunkPool(const Communicator& world);

  /// Collective. The root calls `work`, while the other ranks compress for it until it returns or
  /// throws. Outside of it the root compresses alone.
  template <class Work>
  void Share(Work&& work) {
    if (!world_.is_root()) return Serve();
    const Session session(this);
    work();
  }

  /// Root only, as all that follows. Adds a chunk of values of `element_bytes` bytes each.
  void Push(std::vector<char> raw, std::size_t element_bytes);
  /// The oldest chunk, compressed and removed. Waits for it, and compresses others meanwhile.
  std::vector<char> Pop();
  bool empty() const { return chunks_.empty(); }
  /// Whether as many chunks are in it as should be: Pop() before the next Push().
  bool full() const { return chunks_.size() >= window_; }
  /// Removes all chunks; the others' work for them is waited for.
  void Clear();

 private:
  struct Chunk {
    enum class State { kWaiting, kSent, kDone };
    std::vector<char> bytes;  ///< raw or compressed; none while it is with another rank
    std::size_t element_bytes;
    State state;
  };
  /// Others serve while it lives.
  class Session {
   public:
    explicit Session(ChunkPool* pool) : pool_(pool) { pool_->Begin(); }
    ~Session() { pool_->End(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    ChunkPool* pool_;
  };

  void Begin();
  void End();
  void Serve();
  /// In turn, so that nobody waits for work so long that the root would seem to hang
  /// (core/mpi/rank_watchdog.h).
  std::vector<std::uint32_t>::iterator FindIdlest();
  void HandOut();
  bool TakeBack(bool wait);
  void CompressHere(Chunk* chunk);

  const Communicator& world_;
  Mailbox mailbox_;
  ChunkEncoder encoder_;
  bool shared_ = false;
  std::size_t window_ = 1;
  std::deque<Chunk> chunks_;
  std::uint64_t first_ = 0;         ///< running number of the oldest
  std::size_t next_waiting_ = 0;    ///< index in chunks_: none before it waits
  std::size_t under_way_ = 0;       ///< chunks with other ranks
  std::vector<std::uint32_t> has_;  ///< chunks that a rank has
  std::size_t turn_ = 0;            ///< whose turn it is, if all have as many
};

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_CHUNK_POOL_H_
