// SPDX-License-Identifier: GPL-2.0-only
/// The algorithms that a dimension's lines may use, by name: option phases.algorithm and its
/// siblings for single operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class LineAlgorithm : std::uint8_t {
  kAuto,        ///< a ring on rings, direct exchanges elsewhere
  kRing,        ///< message after message to the next member
  kDirect,      ///< to all others at once
  kTrees,       ///< all-reduce: a double binary tree (tree_steps.h); other operations as kAuto
  kHalving,     ///< halving and doubling (halving_steps.h); all-to-all as kAuto
  kOneRing,     ///< as kRing, on one line of all members of the group, in the order of their ids
  kOneDirect,   ///< as kDirect, on one such line
  kOneHalving,  ///< as kHalving, on one such line; all-to-all as kOneDirect
};

/// Whether all dimensions of a group are one line.
constexpr bool IsOneLine(LineAlgorithm algorithm) { return algorithm >= LineAlgorithm::kOneRing; }

/// Returns the algorithms of so many dimensions: names joined by '_', such as "ring_direct"; the
/// last name holds for the dimensions that follow. Throws UserError, which begins with the option's
/// name, for an unknown name, for more names than dimensions, and for several names of which one
/// joins all dimensions.
std::vector<LineAlgorithm> ParseLineAlgorithms(const std::string& option, const std::string& text,
                                               std::size_t dimensions);

/// Lists the names, for messages: "auto, ring, ...".
std::string LineAlgorithmNames();

}  // namespace heddle
