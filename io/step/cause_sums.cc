// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/cause_sums.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle {
namespace {

constexpr std::size_t kMostNamed = 3;

bool IsOfOthers(const CausedPiece& piece) {
  return piece.part.link != kNoHop &&
         (piece.part.cause == StepCause::kCollision || piece.part.cause == StepCause::kReceiver);
}

/// The names with most bytes, the first in the alphabet among equals.
std::vector<std::string> MostNamed(const std::map<std::string, double>& bytes) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, sent] : bytes) order.emplace_back(-sent, name);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMostNamed));
  std::vector<std::string> names;
  for (auto& [sent, name] : order) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::vector<CausePart> ScaledParts(std::vector<CausePart> parts, std::int64_t length) {
  std::int64_t all = 0, left = length;
  for (const CausePart& part : parts) all += part.ps;
  const double share = static_cast<double>(left) / static_cast<double>(all);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto scaled = static_cast<std::int64_t>(share * static_cast<double>(parts[i].ps));
    parts[i].ps = i + 1 == parts.size() ? left : std::min(left, scaled);
    left -= parts[i].ps;
  }
  return parts;
}

std::vector<CauseSum> SumByCause(const std::vector<CausedPiece>& pieces,
                                 const OthersOfPiece& others,
                                 const std::function<std::string(HopIndex)>& link_name) {
  std::map<std::pair<StepCause, HopIndex>, CauseSum> sums;
  std::map<std::pair<StepCause, HopIndex>, std::map<std::string, double>> bytes;
  for (const CausedPiece& piece : pieces) {
    const bool own = piece.part.cause == StepCause::kOwnLink;
    const auto key = std::make_pair(piece.part.cause, own ? kNoHop : piece.part.link);
    CauseSum& sum = sums[key];
    sum.ps += piece.part.ps;
    ++sum.parts;
    if (!IsOfOthers(piece)) continue;
    for (const auto& [name, sent] : others(piece)) bytes[key][name] += sent;
  }
  std::vector<CauseSum> causes;
  for (auto& [key, sum] : sums) {
    sum.cause = key.first;
    sum.hop = key.second;
    if (sum.hop != kNoHop) sum.link = link_name(sum.hop);
    sum.with = MostNamed(bytes[key]);
    causes.push_back(std::move(sum));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const CauseSum& a, const CauseSum& b) { return a.ps > b.ps; });
  return causes;
}

std::vector<std::size_t> LongestPieces(const std::vector<CausedPiece>& pieces, std::size_t most) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return std::make_pair(-pieces[a].part.ps, a) <
                             std::make_pair(-pieces[b].part.ps, b);
                    });
  order.resize(count);
  return order;
}

}  // namespace heddle
