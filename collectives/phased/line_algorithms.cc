// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/line_algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// A further algorithm is a row.
struct Row {
  const char* name;
  LineAlgorithm algorithm;
};
constexpr Row kRows[] = {{"auto", LineAlgorithm::kAuto},
                         {"ring", LineAlgorithm::kRing},
                         {"direct", LineAlgorithm::kDirect},
                         {"doubleBinaryTree", LineAlgorithm::kTrees},
                         {"halvingDoubling", LineAlgorithm::kHalving},
                         {"oneRing", LineAlgorithm::kOneRing},
                         {"oneDirect", LineAlgorithm::kOneDirect},
                         {"oneHalvingDoubling", LineAlgorithm::kOneHalving}};

LineAlgorithm AlgorithmOf(const std::string& option, const std::string& name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.name == name; });
  if (row != std::end(kRows)) return row->algorithm;
  std::vector<std::string> names;
  for (const Row& r : kRows) names.emplace_back(r.name);
  throw UserError(fmt::format("{}: found '{}'. Expected: {}, joined by '_'{}", option,
                              Printable(name), LineAlgorithmNames(), NearestIs(name, names)));
}

}  // namespace

std::string LineAlgorithmNames() {
  std::string names;
  for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::vector<LineAlgorithm> ParseLineAlgorithms(const std::string& option, const std::string& text,
                                               std::size_t dimensions) {
  std::vector<LineAlgorithm> algorithms;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('_', begin), text.size());
    algorithms.push_back(AlgorithmOf(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (algorithms.size() > dimensions) {
    throw UserError(
        fmt::format("{}: {} names in '{}'. Expected: at most {}, as the fabric has so many "
                    "dimensions",
                    option, algorithms.size(), Printable(text), dimensions));
  }
  if (algorithms.size() > 1 && std::any_of(algorithms.begin(), algorithms.end(), IsOneLine)) {
    throw UserError(
        fmt::format("{}: {} names in '{}'. Expected: one, as oneRing, oneDirect and "
                    "oneHalvingDoubling take all dimensions",
                    option, algorithms.size(), Printable(text)));
  }
  algorithms.resize(dimensions, algorithms.back());
  return algorithms;
}

}  // namespace heddle
