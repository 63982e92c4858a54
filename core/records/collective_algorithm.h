// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's algorithms and protocols by name: choices of `collectives`, and values of a result's
/// columns (`io`).
///
/// The other properties of an algorithm are in its row of collectives/algorithms/algorithm_table.h.
#ifndef HEDDLE_CORE_RECORDS_COLLECTIVE_ALGORITHM_H_
#define HEDDLE_CORE_RECORDS_COLLECTIVE_ALGORITHM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class Algorithm : std::uint8_t {
  kRing,
  kTree,
  kNvls,
  kNvlsTree,
  kDirect,
  kPat,
  kNvlsMultimem
};

/// The name in results and messages; null for a number that is no algorithm.
constexpr const char* ToText(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRing:
      return "RING";
    case Algorithm::kTree:
      return "TREE";
    case Algorithm::kNvls:
      return "NVLS";
    case Algorithm::kNvlsTree:
      return "NVLS_TREE";
    case Algorithm::kDirect:
      return "DIRECT";
    case Algorithm::kPat:
      return "PAT";
    case Algorithm::kNvlsMultimem:
      return "NVLS_MULTIMEM";
  }
  return nullptr;
}

/// kNone: SimAI 1.6's plain messages, without extra bytes or other latencies.
enum class Protocol : std::uint8_t { kLl, kLl128, kSimple, kNone };

/// The name in results and messages; null for a number that is no protocol.
constexpr const char* ToText(Protocol protocol) {
  switch (protocol) {
    case Protocol::kLl:
      return "LL";
    case Protocol::kLl128:
      return "LL128";
    case Protocol::kSimple:
      return "SIMPLE";
    case Protocol::kNone:
      return "NONE";
  }
  return nullptr;
}

/// Number of values of an enum whose values are 0, 1, ... and have names.
template <class Enum>
constexpr std::size_t CountNamed() {
  std::size_t count = 0;
  while (ToText(static_cast<Enum>(count)) != nullptr) ++count;
  return count;
}

constexpr std::size_t kAlgorithms = CountNamed<Algorithm>();

/// The names of all values, in order.
template <class Enum>
std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < CountNamed<Enum>(); ++i)
    names.emplace_back(ToText(static_cast<Enum>(i)));
  return names;
}

}  // namespace heddle

#endif  // HEDDLE_CORE_RECORDS_COLLECTIVE_ALGORITHM_H_
