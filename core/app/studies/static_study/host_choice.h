// SPDX-License-Identifier: GPL-2.0-only
/// Which hosts have the ranks of a pattern, in each run of a study of static congestion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace heddle {

class HostChoice {
 public:
  virtual ~HostChoice() = default;
  /// Returns the host of each rank in run `run`. Depends on nothing but the choice and the
  /// argument.
  virtual std::vector<std::uint32_t> MappingOf(std::uint64_t run) const = 0;
};

/// Returns the hosts 0 to `hosts` - 1 in servers of `size` neighbours each; the last may be
/// smaller.
std::vector<std::vector<std::uint32_t>> EqualServers(std::uint32_t hosts, std::uint32_t size);

/// Whole servers, drawn for each run and dealt to the ranks. Of the last one, ranks may be left
/// over.
struct DrawnServers {
  std::vector<std::vector<std::uint32_t>> servers;  ///< hosts of each, at least one
  std::uint32_t ranks = 0;                          ///< of the pattern; at most as many as hosts
  bool fixed_subset = false;  ///< servers are drawn once, for all runs, and dealt anew in each
  std::uint64_t seed = 1;
};

class DrawnHosts : public HostChoice {
 public:
  /// Draws nothing yet: each run has random numbers of its own.
  explicit DrawnHosts(DrawnServers servers) : servers_(std::move(servers)) {}
  std::vector<std::uint32_t> MappingOf(std::uint64_t run) const override;

 private:
  DrawnServers servers_;
};

/// Hosts by rank, given for each run; runs beyond the last begin again with the first.
class GivenHosts : public HostChoice {
 public:
  /// At least one.
  explicit GivenHosts(std::vector<std::vector<std::uint32_t>> by_run)
      : by_run_(std::move(by_run)) {}
  std::vector<std::uint32_t> MappingOf(std::uint64_t run) const override {
    return by_run_[run % by_run_.size()];
  }

 private:
  std::vector<std::vector<std::uint32_t>> by_run_;
};

/// Returns the random numbers that draw a subset for all runs.
RandomStream SubsetStream(std::uint64_t seed);

/// Draws the first `count` places from `begin` on among those up to `end`, uniformly and in order.
void DrawPlaces(std::size_t begin, std::size_t end, std::size_t count,
                std::vector<std::uint32_t>* hosts, RandomStream* random);

}  // namespace heddle
