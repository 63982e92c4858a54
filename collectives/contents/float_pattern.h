// SPDX-License-Identifier: GPL-2.0-only
/// The numbers that GPUs send: small integers stored as float32, so that sums are exact in any
/// order, different at every GPU and place.
///
/// Element i of a buffer of a GPU is value(i + shift) of its table, which has kPeriod entries; the
/// shift differs between operations, so that what an earlier one has left is not taken for a
/// result. The period is prime: a slice in the wrong place is noticed unless it is off by a
/// multiple of it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace heddle {

class FloatPattern {
 public:
  static constexpr std::int64_t kPeriod = 1021;
  static constexpr std::int64_t kElement = sizeof(float);  ///< [byte]
  /// Values are integers from 0 to this; sums of up to 2^18 GPUs are exact.
  static constexpr std::int64_t kMost = 63;

  /// The pattern of one GPU.
  explicit FloatPattern(NodeId gpu);
  /// Makes the pattern of the sums over several GPUs. Throws UserError if sums may not be exact.
  explicit FloatPattern(const std::vector<NodeId>& gpus);

  /// Returns the element at which a buffer begins, for an operation of this number.
  static std::int64_t ShiftOf(std::uint32_t operation) { return operation * 389LL % kPeriod; }

  /// Points to kPeriod elements from `index` (>= 0) on.
  const float* From(std::int64_t index) const { return values_.data() + index % kPeriod; }
  /// Writes the first `count` elements of the pattern.
  void Fill(float* to, std::int64_t count) const;
  /// Returns the first byte of bytes [from, from + count) of the pattern that `found` does not
  /// have; -1: there is none.
  std::int64_t FindDifference(const char* found, std::int64_t from, std::int64_t count) const;

 private:
  std::vector<float> values_;  ///< twice the period, so that any kPeriod in a row are there
};

}  // namespace heddle
