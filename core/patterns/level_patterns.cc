// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/level_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "core/patterns/grid_neighbours.h"
#include "core/patterns/receiver_pattern.h"
#include "core/patterns/two_patterns.h"

namespace heddle {
namespace {

using Pairs = std::vector<RankPair>;

std::uint32_t Rank(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

void Null(const PatternShape&, std::uint64_t, Pairs*) {}

/// Each rank of the first half sends to the one of its place in the second.
void Bisect(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint32_t half = shape.ranks / 2;
  for (std::uint32_t i = 0; level == 0 && i < half; ++i) pairs->push_back({i, half + i});
}

void BisectBothWays(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint32_t half = shape.ranks / 2;
  for (std::uint32_t i = 0; level == 0 && i < half; ++i) {
    pairs->push_back({i, half + i});
    pairs->push_back({half + i, i});
  }
}

/// 2^level, or 0 if it is not below the number of ranks.
std::uint64_t StrideOf(const PatternShape& shape, std::uint64_t level) {
  const std::uint64_t stride = level < 63 ? std::uint64_t{1} << level : 0;
  return stride < shape.ranks ? stride : 0;
}

void Tree(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint64_t stride = StrideOf(shape, level);
  for (std::uint64_t i = 0; i < stride && i + stride < shape.ranks; ++i)
    pairs->push_back({Rank(i), Rank(i + stride)});
}

void Bruck(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint64_t stride = StrideOf(shape, level);
  for (std::uint64_t i = 0; stride > 0 && i < shape.ranks; ++i)
    pairs->push_back({Rank(i), Rank((i + stride) % shape.ranks)});
}

void Gather(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint32_t i = 1; level == 0 && i < shape.ranks; ++i) pairs->push_back({i, 0});
}

void Scatter(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint32_t i = 1; level == 0 && i < shape.ranks; ++i) pairs->push_back({0, i});
}

void Ring(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  if (level < shape.ranks && shape.ranks > 1)
    pairs->push_back({Rank(level), Rank((level + 1) % shape.ranks)});
}

/// Among the largest power of two of ranks; the others receive afterwards.
void RecursiveDoubling(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  std::uint64_t power = 1, levels = 0;
  for (; 2 * power <= shape.ranks; power *= 2) ++levels;
  if (level < levels) {
    const std::uint64_t stride = std::uint64_t{1} << level;
    for (std::uint64_t k = 0; k < power; ++k) {
      if ((k & stride) != 0) continue;
      pairs->push_back({Rank(k), Rank(k + stride)});
      pairs->push_back({Rank(k + stride), Rank(k)});
    }
  } else if (level == levels) {
    for (std::uint64_t i = 0; i + power < shape.ranks; ++i)
      pairs->push_back({Rank(i), Rank(i + power)});
  }
}

void Neighbours(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  if (level == 0) AddGridNeighbours(shape.ranks, Rank(shape.argument) / 2, pairs);
}

void CheckNeighbours(std::uint64_t count) {
  if (count == 2 || count == 4 || count == 6) return;
  throw UserError(
      fmt::format("pattern neighbor: found {}. Expected: 2, 4 or 6, neighbours on a "
                  "grid of one, two or three dimensions",
                  count));
}

void AllToAll(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint64_t i = 0; level + 1 < shape.ranks && i < shape.ranks; ++i)
    pairs->push_back({Rank(i), Rank((i + level + 1) % shape.ranks)});
}

void Shift(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  for (std::uint64_t i = 0; level == 0 && i < shape.ranks; ++i)
    pairs->push_back({Rank(i), Rank((i + shape.argument) % shape.ranks)});
}

/// The shift by just under half of the ring, after which no minimal path is balanced.
void Tornado(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint64_t by = (shape.ranks + 1) / 2 - 1;
  if (by > 0) Shift({shape.ranks, by}, level, pairs);
}

/// Groups of K + 1 ranks, in which K send to the first.
void Incast(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  const std::uint64_t group = shape.argument + 1;
  for (std::uint64_t i = 0; level == 0 && i < shape.ranks; ++i) {
    if (i % group != 0) pairs->push_back({Rank(i), Rank(i - i % group)});
  }
}

/// A ring of each rail at once: K GPUs a server, rank r sends to the GPU of its place in the next
/// server.
void RailRings(const PatternShape& shape, std::uint64_t level, Pairs* pairs) {
  if (shape.argument < shape.ranks) Shift(shape, level, pairs);
}

class PlainPattern : public LevelPattern {
 public:
  PlainPattern(LevelOf level_of, const PatternShape& shape) : level_of_(level_of), shape_(shape) {}
  void Level(std::uint64_t level, Pairs* pairs) override {
    pairs->clear();
    level_of_(shape_, level, pairs);
  }

 private:
  LevelOf level_of_;
  PatternShape shape_;
};

/// Every rank sends to another and receives from another: a derangement, all equally likely.
class RandomPattern : public LevelPattern {
 public:
  explicit RandomPattern(std::uint32_t ranks) : destinations_(ranks) {}
  void BeginRun(RandomStream* random) override {
    if (destinations_.size() < 2) return;
    std::iota(destinations_.begin(), destinations_.end(), 0U);
    do {  // 2.7 times in the mean
      Shuffle(&destinations_, random);
    } while (HasFixedPoint());
  }
  void Level(std::uint64_t level, Pairs* pairs) override {
    pairs->clear();
    for (std::uint32_t i = 0; level == 0 && destinations_.size() > 1 && i < destinations_.size();
         ++i)
      pairs->push_back({i, destinations_[i]});
  }

 private:
  bool HasFixedPoint() const {
    for (std::uint32_t i = 0; i < destinations_.size(); ++i) {
      if (destinations_[i] == i) return true;
    }
    return false;
  }

  std::vector<std::uint32_t> destinations_;
};

constexpr PatternRow kRows[] = {
    {"rand", nullptr},
    {"null", Null},
    {"bisect", Bisect},
    {"bisect_fb_sym", BisectBothWays},
    {"tree", Tree},
    {"bruck", Bruck},
    {"gather", Gather},
    {"scatter", Scatter},
    {"ring", Ring},
    {"recdbl", RecursiveDoubling},
    {"2neighbor", Neighbours, "", 2},
    {"4neighbor", Neighbours, "", 4},
    {"6neighbor", Neighbours, "", 6},
    {"neighbor", Neighbours, "K", 0, CheckNeighbours},
    {"recvs_one_src", nullptr, "K[,P1[,P2]][,rand|linear]"},
    {"recvs_all_src", nullptr, "K[,P1[,P2]][,rand|linear]"},
    {"ptrnvsptrn", nullptr, "P1[:A1]::P2[:A2]"},
    {"alltoall", AllToAll},
    {"shift", Shift, "K"},
    {"tornado", Tornado},
    {"incast", Incast, "K"},
    {"rail_rings", RailRings, "K"},
    {"pairs", nullptr, "FILE"},
    {"collective", nullptr, "OPERATION[,ALGORITHM][,SIZE]"},
};

const PatternRow& FindRow(const std::string& name, const PatternRules& rules) {
  for (const PatternRow& row : rules.instead) {
    if (name == row.name) return row;
  }
  for (const PatternRow& row : kRows) {
    if (name == row.name) return row;
  }
  std::vector<std::string> names;
  for (const PatternRow& row : kRows) names.emplace_back(row.name);
  throw UserError(fmt::format("pattern '{}' is unknown. Expected: {}{}", Printable(name),
                              fmt::join(LevelPatternNames(), ", "), DidYouMean(name, names)));
}

/// K of a pattern. Throws UserError.
std::uint64_t CountOf(const PatternRow& row, const std::string& text) {
  const std::uint64_t count = ReadNumber<std::uint64_t>(text).value_or(0);
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (count == 0 || count > kMost)
    throw UserError(
        fmt::format("pattern {}: argument '{}'. Expected: {}:K with an integer K from 1", row.name,
                    Printable(text), row.name));
  return count;
}

/// `argument`: "P1[:A1]::P2[:A2]". Throws UserError.
std::unique_ptr<LevelPattern> MakePatternAgainstPattern(const std::string& argument,
                                                        const PatternRequest& request) {
  const std::size_t gap = argument.find("::");
  const std::string first = argument.substr(0, gap);
  const std::string second = gap == std::string::npos ? "" : argument.substr(gap + 2);
  const bool nested = (first + " " + second).find("ptrnvsptrn") != std::string::npos;
  if (first.empty() || second.empty() || nested) {
    throw UserError(
        fmt::format("pattern ptrnvsptrn: argument '{}'. Expected: two patterns as in tree::bisect",
                    Printable(argument)));
  }
  if (request.first_ranks == 0 || request.first_ranks >= request.ranks) {
    throw UserError(
        fmt::format("pattern ptrnvsptrn: {} of {} ranks for the first pattern. "
                    "Expected: 1 to {}",
                    request.first_ranks, request.ranks, request.ranks > 0 ? request.ranks - 1 : 0));
  }
  PatternRequest part = request;
  part.text = first;
  part.ranks = request.first_ranks;
  auto one = MakeLevelPattern(part);
  part.text = second;
  part.ranks = request.ranks - request.first_ranks;
  return MakeTwoPatterns(std::move(one), request.first_ranks, MakeLevelPattern(part),
                         request.rules.between_runs);
}

}  // namespace

const PatternRow& DescribedPattern(const std::string& name) { return FindRow(name, {}); }

std::unique_ptr<LevelPattern> MakeLevelPattern(const PatternRequest& request) {
  const std::size_t colon = std::min(request.text.find(':'), request.text.size());
  const PatternRow& row = FindRow(request.text.substr(0, colon), request.rules);
  const bool has_argument = colon < request.text.size();
  const std::string argument = has_argument ? request.text.substr(colon + 1) : "";
  const std::string name = row.name;
  if (has_argument && row.argument[0] == '\0')
    throw UserError(
        fmt::format("pattern {}: argument '{}'. Expected: none", name, Printable(argument)));
  if (!has_argument && row.argument[0] != '\0')
    throw UserError(
        fmt::format("pattern {}: no argument. Expected: {}:{}", name, name, row.argument));
  if (name == "rand") return std::make_unique<RandomPattern>(request.ranks);
  if (name == "ptrnvsptrn") return MakePatternAgainstPattern(argument, request);
  if (name == "pairs" || name == "collective") {
    if (!request.list)
      throw UserError(fmt::format("pattern {}: not among ORCS's. Expected: no --compat", name));
    return MakeListedPattern(request.list(name, argument, request.ranks));
  }
  if (row.level_of == nullptr) return MakeReceiverPattern(name, argument, request.ranks);
  PatternShape shape{request.ranks, row.given};
  if (row.argument[0] != '\0') shape.argument = CountOf(row, argument);
  if (row.check != nullptr) row.check(shape.argument);
  return std::make_unique<PlainPattern>(row.level_of, shape);
}

std::string PatternOfTheseRanks(const PatternRequest& request) {
  const std::size_t colon = std::min(request.text.find(':'), request.text.size());
  const PatternRow& row = FindRow(request.text.substr(0, colon), request.rules);
  if (row.level_of != Incast && row.level_of != Shift) return "";
  const std::uint64_t count = CountOf(row, request.text.substr(colon + 1));
  if (count < request.ranks) return "";
  const std::uint64_t left = row.level_of == Incast ? request.ranks - 1 : count % request.ranks;
  return fmt::format("{}:{}", row.name, left);
}

std::vector<std::string> LevelPatternNames() {
  std::vector<std::string> names;
  for (const PatternRow& row : kRows)
    names.push_back(row.argument[0] == '\0' ? row.name
                                            : fmt::format("{}:{}", row.name, row.argument));
  return names;
}

}  // namespace heddle
