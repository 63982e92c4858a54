// SPDX-License-Identifier: GPL-2.0-only
/// The messages of PAT (parallel aggregated trees), which are the same for every rank but for a
/// shift: their order, their distance, the blocks that each carries, and what each waits for.
///
/// Source: S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at
/// scale", arXiv 2506.20252; NCCL 2.30, src/include/collectives.h (PatAGAlgorithm,
/// PatRSAlgorithm).
///
/// n binomial trees run at once, one for each rank's block. A block's offset at a rank is how far
/// its owner is ahead of the rank, modulo n; low(s) is the lowest bit set in s. AllGather: a rank
/// gets the block of offset s from the rank low(s) ahead, where its offset is s - low(s). Each
/// offset 1 to n-1 comes once, and half of them cross distance 1, a quarter distance 2.
/// ReduceScatter is the mirror: a rank sends the sum for offset s to the rank low(s) ahead, after
/// those of s + 2^j, 2^j < low(s), have come.
///
/// With A trees a round and P = 2^ceil(log2 n), D = P / A: log2 A rounds of the offsets (2a+1) 2^k
/// D, from the largest k down, then a round of the offsets a D + u for each u of 1 to D-1, parents
/// before children and far children first. ReduceScatter: u from D-1 down to 1, then k upwards. F
/// blocks of a round are one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// How much PAT sends together: powers of two, 1 <= blocks <= trees.
struct PatFactors {
  std::uint32_t blocks = 1;  ///< F: of a message, at most
  std::uint32_t trees = 1;   ///< A: of a round, at most
};

/// Returns NCCL's factors: F doubles while 2 F blocks fit in `chunk_bytes` and F < floor(ranks /
/// 2); then A, from F on, while A / F < slots and A < floor(ranks / 2). All arguments at least 1.
PatFactors PatFactorsOf(std::uint32_t ranks, std::int64_t block_bytes, std::int64_t chunk_bytes,
                        std::int64_t slots);

/// Immutable, O(ranks) memory. Messages are numbered in the order in which a rank sends them.
class PatRounds {
 public:
  /// Some numbers, ascending.
  struct Numbers {
    const std::uint32_t* first;
    const std::uint32_t* last;

    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(last - first); }  ///< how many
  };

  /// Lays out a ReduceScatter if it `reduces`, else an AllGather; at least two ranks.
  /// `factors.trees` is at most the power of two from `ranks` on.
  PatRounds(std::uint32_t ranks, const PatFactors& factors, bool reduces);

  bool reduces() const { return reduces_; }       ///< a ReduceScatter; else an AllGather
  std::uint32_t ranks() const { return ranks_; }  ///< n, > 1
  /// Counts the messages that each rank sends for one piece of all blocks.
  std::uint32_t messages() const { return static_cast<std::uint32_t>(distances_.size()); }
  /// Rounds that have blocks; log2 A + D - 1 if the ranks are a power of two.
  std::uint32_t rounds() const { return rounds_; }
  /// How far a message goes, in ranks: ahead in a ReduceScatter, back in an AllGather.
  std::uint32_t distance(std::uint32_t message) const { return distances_[message]; }
  /// The blocks' offsets: at the sender in a ReduceScatter, at the receiver in an AllGather.
  Numbers offsets(std::uint32_t message) const { return Of(offsets_, first_offset_, message); }
  /// Messages that must arrive at a rank before it may send this one.
  Numbers parents(std::uint32_t message) const { return Of(parents_, first_parent_, message); }
  /// Messages that a rank may send once this one, and their other parents, have arrived at it.
  Numbers children(std::uint32_t message) const { return Of(children_, first_child_, message); }

  std::size_t memory() const;  ///< of the lists [byte]

 private:
  using List = std::vector<std::uint32_t>;

  /// Returns the numbers of `message` in a list `all`, of which `first` says where each message's
  /// begin.
  static Numbers Of(const List& all, const List& first, std::uint32_t message) {
    return {all.data() + first[message], all.data() + first[message + 1]};
  }
  /// Adds the round of the offsets first, first + stride, ... < ranks.
  void AddRound(std::uint32_t first, std::uint32_t stride, const PatFactors& factors);
  /// Adds all rounds of an AllGather. `apart`: D, how far the trees of a round are from each other.
  void AddGather(const PatFactors& factors, std::uint32_t apart);
  /// Adds all rounds of a ReduceScatter, the mirror of AddGather().
  void AddReduction(const PatFactors& factors, std::uint32_t apart);
  /// Adds the rounds of the tree from offset u down, parents first; `low`: its lowest bit, or D.
  void AddTree(std::uint32_t u, std::uint32_t low, std::uint32_t apart, const PatFactors& factors);
  /// Fills parents and children: a message that carries offset s depends on the one of s - low(s)
  /// in an AllGather; in a ReduceScatter the reverse.
  void Connect();

  std::uint32_t ranks_;
  bool reduces_;
  std::uint32_t rounds_ = 0;
  List distances_;               ///< by message
  List offsets_, first_offset_;  ///< the second by message, and the end of the last
  List parents_, first_parent_;  ///< likewise
  List children_, first_child_;  ///< likewise
};

}  // namespace heddle
