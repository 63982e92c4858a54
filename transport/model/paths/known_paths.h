// SPDX-License-Identifier: GPL-2.0-only
/// The different paths onto which a pair's source ports were found to lead, each with the lowest of
/// these ports.
///
/// Two source ports lead onto the same path if the rate of the NIC and all hops but the last are
/// equal: then either both paths fit or neither does. Paths are kept in the order of their lowest
/// ports, so the first one that fits has the lowest port that fits, among the ports traced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/containers/flat_map.h"
#include "topology/graph/graph.h"
#include "transport/model/paths/link_shares.h"

namespace heddle {

/// A path in KnownPaths or under construction; valid until the next one is added.
struct KnownPath {
  const std::uint32_t* words;
  std::uint32_t size;  ///< hops

  /// A last hop that has not been computed.
  static constexpr HopIndex kNotAsked = ~HopIndex{0};
  static constexpr std::uint32_t kPort = 0, kRate = 1, kHops = 2;  ///< indices of the words
  /// Returns the lowest port that leads onto the path.
  std::uint16_t source_port() const { return static_cast<std::uint16_t>(words[kPort]); }
  std::uint32_t rate_index() const { return words[kRate]; }  ///< caller's index of the NIC's rate
  const HopIndex* begin() const { return words + kHops; }    ///< first switch's hop
  const HopIndex* end() const { return begin() + size; }
  /// Returns the end of the hops that count: all but the last.
  const HopIndex* end_counted() const { return begin() + size - 1; }
  HopIndex last() const { return *end_counted(); }  ///< kNotAsked: not computed yet
};

/// The known paths of one pair and destination port.
class KnownPaths {
 public:
  /// Starts without paths. `hops`: number of switches on every path of the pair, at least one.
  explicit KnownPaths(std::uint32_t hops) : hops_(hops) {}

  /// Returns the number of paths known so far.
  std::uint32_t count() const { return static_cast<std::uint32_t>(words_.size()) / stride(); }
  /// Returns path i, in the order of the lowest ports. Valid until Add().
  KnownPath operator[](std::uint32_t i) const {
    return {words_.data() + std::size_t{i} * stride(), hops_};
  }
  std::uint32_t hops() const { return hops_; }  ///< switches on every path
  /// Appends a path: its port, its rate and hops() hops.
  void Add(const std::uint32_t* words) { words_.insert(words_.end(), words, words + stride()); }
  /// Sets the last hop of path i.
  void SetLast(std::uint32_t i, HopIndex last) { words_[std::size_t{i + 1} * stride() - 1] = last; }
  /// All source ports below this one were traced.
  std::uint32_t next_port = 1;
  /// Returns its memory, this object included [byte].
  std::size_t bytes() const { return sizeof(*this) + words_.capacity() * sizeof(std::uint32_t); }

 private:
  std::uint32_t stride() const { return KnownPath::kHops + hops_; }  ///< words of a path
  std::uint32_t hops_;
  std::vector<std::uint32_t> words_;
};

/// A hash table of the known paths of one pair, reused by the next search.
class PathSet {
 public:
  /// Replaces the contents by the paths of `known`.
  void Begin(const KnownPaths& known);
  /// Whether `path` is known already. If not, inserts it as path number known.count(), which the
  /// caller then adds to `known`.
  bool Insert(const KnownPaths& known, const KnownPath& path);

 private:
  struct Slot {
    /// The search that filled it; slots of other searches count as empty.
    std::uint32_t search = 0;
    std::uint32_t number = 0;
  };
  /// Doubles the table and enters the paths of `known` again.
  void Grow(const KnownPaths& known);

  std::uint32_t search_ = 0;
  std::uint32_t size_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(256);
};

/// The known paths of all pairs searched, up to a limit of memory.
class KnownPathsOfPairs {
 public:
  /// Returns the paths of a pair; null if it was not searched. Valid until the next Add() or
  /// Forget().
  KnownPaths* Find(NodeId source, NodeId destination, std::uint16_t destination_port);
  /// Adds a pair that was not searched, with no paths yet.
  KnownPaths& Add(NodeId source, NodeId destination, std::uint16_t destination_port,
                  std::uint32_t hops);
  /// Empties it; bytes() is 0 afterwards.
  void Forget();
  /// Adds the growth of a pair's paths to bytes().
  void CountGrowth(std::size_t bytes) { bytes_ += bytes; }
  std::size_t bytes() const { return bytes_; }  ///< memory of all pairs, as counted

 private:
  FlatMap number_of_;
  std::vector<KnownPaths> pairs_;
  std::size_t bytes_ = 0;
};

}  // namespace heddle
