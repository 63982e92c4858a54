// SPDX-License-Identifier: GPL-2.0-only
/// Random streams keyed by (seed, entity, purpose): the numbers of an entity do not depend on ranks
/// or on the order of draws elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

/// Purpose of a stream; two purposes of one entity never share numbers. The values determine
/// results: append only.
enum class RandomPurpose : std::uint32_t {
  kPartition = 1,
  kPermutation = 2,
  kPintSampling = 3,
  kEcnMarking = 4,
  kWireLoss = 5,
  kPlacement = 6,
  kTrace = 7,
  kRankMapping = 8,
  kLevelPattern = 9,
  kForwardingTable = 10,
  kPortChoice = 11,      ///< of a switch among equal ports
  kEntropy = 12,         ///< of a NIC for its packets
  kPolling = 13,         ///< of completions by the collective library
  kTrimming = 14,        ///< which of two packets a full queue trims
  kReceiverCredit = 15,  ///< adjustments of a receiver's credit rate
  kSourcePort = 16,      ///< of queue pairs
  kExpertWeights = 17,   ///< how popular the experts of a layer are
  kExpertChoice = 18,    ///< experts of a rank's tokens
  kServing = 19          ///< requests that a law draws
};

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
/// Plain state of 8 bytes.
class RandomStream {
 public:
  /// Starts the stream of (seed, entity, purpose). Streams that differ in one of them are
  /// unrelated.
  RandomStream(std::uint64_t seed, std::uint64_t entity, RandomPurpose purpose)
      : state_(Mix(seed + Mix(entity + Mix(static_cast<std::uint64_t>(purpose))))) {}

  /// Returns a number uniform over all 64-bit numbers.
  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    return Mix(state_);
  }
  /// Returns a number uniform in [0, bound), bound > 0. The bias is below bound / 2^64.
  std::uint64_t Below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }
  /// Returns a number uniform in [0, 1), of 53 bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& state_;
  }

 private:
  /// Spreads each bit of `z` over the result: the output function of SplitMix64.
  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Puts the values into a uniformly drawn order (Fisher and Yates).
template <class T>
void Shuffle(std::vector<T>* values, RandomStream* random) {
  for (std::size_t left = values->size(); left > 1; --left)
    std::swap((*values)[left - 1], (*values)[random->Below(left)]);
}

}  // namespace heddle
