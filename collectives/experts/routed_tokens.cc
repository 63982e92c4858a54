// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/routed_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Adds a word to a digest: FNV's step, and a fold of the upper bits.
std::uint64_t WithWord(std::uint64_t digest, std::uint64_t word) {
  digest = (digest ^ word) * 0x100000001B3ULL;
  return digest ^ (digest >> 29);
}

/// The nearest multiple of `ranks` that is at least one of them.
std::int64_t NearestMultiple(std::int64_t count, std::int64_t ranks) {
  return std::max<std::int64_t>((count + ranks / 2) / ranks, 1) * ranks;
}

/// Experts of a rank. Throws UserError if they cannot be divided evenly.
std::uint32_t ExpertsOfRank(const ExpertOptions& options, std::uint32_t ranks) {
  if (options.count % ranks == 0) return static_cast<std::uint32_t>(options.count / ranks);
  throw UserError(fmt::format(
      "experts.count={} on expert groups of {} ranks, which are to have as many experts each. "
      "Expected: a multiple of {}, such as {}",
      options.count, ranks, ranks, NearestMultiple(options.count, ranks)));
}

}  // namespace

RoutedTokens::RoutedTokens(const ExpertOptions& options, std::uint32_t ranks, std::uint64_t layer)
    : options_(options),
      ranks_(ranks),
      layer_(layer),
      counts_(CountTokens(options)),
      experts_of_rank_(ExpertsOfRank(options, ranks)) {
  const double choices = static_cast<double>(counts_.tokens) * counts_.top_k * ranks;
  if (options.capacity > 0)
    capacity_ = static_cast<std::uint64_t>(
        std::ceil(options.capacity * choices / static_cast<double>(options.count)));
  Count();
}

void RoutedTokens::ForEach(const Visit& visit) const {
  const std::unique_ptr<TokenSource> source = MakeTokenSource(options_, ranks_, layer_);
  std::vector<std::uint64_t> taken(static_cast<std::size_t>(options_.count));
  std::vector<std::uint32_t> experts;
  const auto is_full = [&](std::uint32_t expert) {
    return capacity_ > 0 && taken[expert]++ >= capacity_;
  };
  for (std::uint32_t token = 0; token < counts_.tokens; ++token) {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (!source->Next(rank, token, &experts)) continue;
      if (capacity_ > 0)
        experts.erase(std::remove_if(experts.begin(), experts.end(), is_full), experts.end());
      visit(rank, experts);
    }
  }
}

void RoutedTokens::Count() {
  choices_.assign(std::size_t{ranks_} * ranks_, 0);
  rows_ = choices_;
  loads_.assign(static_cast<std::size_t>(options_.count), 0);
  // Rank and token that a rank was counted for last.
  std::vector<std::uint64_t> counted(ranks_, ~std::uint64_t{0});
  std::uint64_t token = 0;
  ForEach([&](std::uint32_t from, const std::vector<std::uint32_t>& experts) {
    for (const std::uint32_t expert : experts) {
      HEDDLE_INVARIANT(expert < loads_.size(), "a token chooses an expert that is not there");
      const std::size_t pair = std::size_t{from} * ranks_ + RankOf(expert);
      ++loads_[expert];
      ++choices_[pair];
      if (std::exchange(counted[RankOf(expert)], token) != token) ++rows_[pair];
      digest_ = WithWord(digest_, expert);
    }
    digest_ = WithWord(digest_, ~std::uint64_t{from});
    choices_in_all_ += experts.size();
    dropped_ += counts_.top_k - experts.size();
    ++token;
  });
  digest_ |= 1;  // 0 is without tokens
}

std::uint64_t RoutedTokens::LoadOfRank(std::uint32_t rank) const {
  std::uint64_t load = 0;
  for (std::uint32_t i = 0; i < experts_of_rank_; ++i) load += loads_[rank * experts_of_rank_ + i];
  return load;
}

std::vector<std::uint32_t> RoutedTokens::RowsByServer(const std::vector<std::uint32_t>& server_of,
                                                      std::uint32_t servers) const {
  HEDDLE_EXPECT(server_of.size() == ranks_);
  std::vector<std::uint32_t> rows(std::size_t{ranks_} * servers);
  std::vector<std::uint64_t> counted(servers, ~std::uint64_t{0});
  std::uint64_t token = 0;
  ForEach([&](std::uint32_t from, const std::vector<std::uint32_t>& experts) {
    for (const std::uint32_t expert : experts) {
      const std::uint32_t server = server_of[RankOf(expert)];
      if (std::exchange(counted[server], token) != token)
        ++rows[std::size_t{from} * servers + server];
    }
    ++token;
  });
  return rows;
}

}  // namespace heddle
