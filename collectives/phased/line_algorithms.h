// SPDX-License-Identifier: GPL-2.0-only
/// The algorithms that a dimension's lines may use, by name: option phases.algorithm.
#ifndef HEDDLE_COLLECTIVES_PHASED_LINE_ALGORITHMS_H_
#define HEDDLE_COLLECTIVES_PHASED_LINE_ALGORITHMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class LineAlgorithm : std::uint8_t {
  kAuto,    ///< a ring on rings, direct exchanges elsewhere
  kRing,    ///< message after message to the next member
  kDirect,  ///< to all others at once
  kTrees,   ///< all-reduce: a double binary tree (tree_steps.h); other operations as kAuto
};

/// Algorithms of so many dimensions: names joined by '_', such as "ring_direct"; the last name
/// holds for the dimensions that follow. Throws UserError for an unknown name, and for more names
/// than dimensions.
std::vector<LineAlgorithm> ParseLineAlgorithms(const std::string& text, std::size_t dimensions);

/// The names, for messages: "auto, ring, ...".
std::string LineAlgorithmNames();

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_PHASED_LINE_ALGORITHMS_H_
