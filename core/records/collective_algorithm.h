// SPDX-License-Identifier: GPL-2.0-only
/// Algorithms and protocols of collectives by name: NCCL's, which are choices of `collectives`, and
/// collectives in phases; values of a result's columns (`io`).
///
/// The other properties of an algorithm are in its row of collectives/algorithms/algorithm_table.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// kCustom: an algorithm of a file (collectives/custom). kPhases: chunks in phases over the
/// dimensions of a fabric (collectives/phased), whose algorithms are options of the run; the last
/// one, and no choice of NCCL's.
enum class Algorithm : std::uint8_t {
  kRing,
  kTree,
  kNvls,
  kNvlsTree,
  kDirect,
  kPat,
  kNvlsMultimem,
  kCollNetDirect,
  kCollNetChain,
  kNvlsCollNet,
  kNvlsTreeMultimem,
  kCustom,
  kPhases
};

/// Returns the name in results and messages; null for a number that is no algorithm.
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
    case Algorithm::kCollNetDirect:
      return "COLLNET_DIRECT";
    case Algorithm::kCollNetChain:
      return "COLLNET_CHAIN";
    case Algorithm::kNvlsCollNet:
      return "NVLS_COLLNET";
    case Algorithm::kNvlsTreeMultimem:
      return "NVLS_TREE_MULTIMEM";
    case Algorithm::kCustom:
      return "CUSTOM";
    case Algorithm::kPhases:
      return "PHASES";
  }
  return nullptr;
}

/// kNone: plain messages, without extra bytes or other latencies, as SimAI 1.6's and those of
/// phases.
enum class Protocol : std::uint8_t { kLl, kLl128, kSimple, kNone };

/// Returns the name in results and messages; null for a number that is no protocol.
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

/// Returns the number of values of an enum whose values are 0, 1, ... and have names.
template <class Enum>
constexpr std::size_t CountNamed() {
  std::size_t count = 0;
  while (ToText(static_cast<Enum>(count)) != nullptr) ++count;
  return count;
}

/// Number of NCCL's algorithms, which come first.
constexpr std::size_t kAlgorithms = static_cast<std::size_t>(Algorithm::kPhases);
static_assert(kAlgorithms + 1 == CountNamed<Algorithm>());

/// Returns the names of all values, in order.
template <class Enum>
std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < CountNamed<Enum>(); ++i)
    names.emplace_back(ToText(static_cast<Enum>(i)));
  return names;
}

}  // namespace heddle
