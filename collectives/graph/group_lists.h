// SPDX-License-Identifier: GPL-2.0-only
/// Groups of a job whose ranks are listed one by one, as in traces. A rank may be in several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

class GroupLists {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds a group and returns its number. `ranks`: of the job, in the order of the group, all
  /// different. `along_dimensions`: they are all GPUs along some dimensions of the fabric.
  std::uint32_t Add(const std::string& name, std::vector<std::uint32_t> ranks,
                    bool along_dimensions = false);

  /// Number of groups; a group's number is below it.
  std::uint32_t count() const { return static_cast<std::uint32_t>(lists_.size()); }
  /// Returns the job's ranks in a group, in its order.
  const std::vector<std::uint32_t>& Members(std::uint32_t group) const {
    return lists_[group].ranks;
  }
  /// Counts the ranks of a group.
  std::uint32_t size(std::uint32_t group) const {
    return static_cast<std::uint32_t>(lists_[group].ranks.size());
  }
  /// Whether the group is all GPUs along some dimensions of the fabric.
  bool is_along_dimensions(std::uint32_t group) const { return lists_[group].along_dimensions; }
  /// Returns the name that Add() was given, for messages.
  const std::string& NameOf(std::uint32_t group) const { return lists_[group].name; }
  /// Returns the rank's place in the group; kNone if it is not in it.
  std::uint32_t RankIn(std::uint32_t group, std::uint32_t rank) const;
  /// Memory in bytes, without the object itself.
  std::size_t memory() const;

 private:
  struct Place {
    std::uint32_t rank, place;
    bool operator<(const Place& other) const { return rank < other.rank; }  ///< by rank
  };
  struct List {
    std::string name;
    std::vector<std::uint32_t> ranks;
    bool along_dimensions = false;
    std::vector<Place> places;  ///< by rank; empty: the group is the ranks from 0 on, in order
  };
  std::vector<List> lists_;
};

}  // namespace heddle
