// SPDX-License-Identifier: GPL-2.0-only
/// Sums over all ranks that are taken while the ranks go on with their work: a rank joins a sum
/// when it likes, and the sum is there some time after the last one has joined.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace heddle {

class RunningSum {
 public:
  using Values = std::array<std::int64_t, 4>;

  /// Collective.
  RunningSum();
  ~RunningSum();
  RunningSum(const RunningSum&) = delete;
  RunningSum& operator=(const RunningSum&) = delete;

  /// Joins the next sum with this rank's values. No sum may be open.
  void Join(const Values& mine);
  /// Whether this rank has joined a sum that Take() has not returned.
  bool open() const;
  /// Takes the sum that was joined last; false if it is not complete yet. Every rank gets all sums.
  bool Take(Values* sums);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle
