// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/token_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "collectives/experts/expert_draw.h"
#include "collectives/experts/expert_law.h"
#include "core/base/check.h"
#include "core/base/random.h"
#include "core/options/enum_words.h"
#include "core/traffic/expert_table.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;

/// The stream of a rank's tokens in a layer.
RandomStream StreamOfRank(const ExpertOptions& options, std::uint64_t layer, std::uint32_t rank) {
  return {static_cast<std::uint64_t>(options.seed), (layer << 32) | rank,
          RandomPurpose::kExpertChoice};
}

class LawSource final : public TokenSource {
 public:
  LawSource(const ExpertOptions& options, std::uint32_t ranks, std::uint64_t layer,
            ExpertWeights weights)
      : share_(weights.share), usual_(DrawOf(options, std::move(weights.usual))) {
    if (!weights.popular.empty())
      popular_ = std::make_unique<ExpertDraw>(DrawOf(options, std::move(weights.popular)));
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      streams_.push_back(StreamOfRank(options, layer, rank));
  }

  bool Next(std::uint32_t rank, std::uint32_t /*token*/,
            std::vector<std::uint32_t>* experts) override {
    RandomStream& random = streams_[rank];
    const bool popular = popular_ != nullptr && random.Uniform() < share_;
    (popular ? *popular_ : usual_).Draw(&random, experts);
    return true;
  }

 private:
  static ExpertDraw DrawOf(const ExpertOptions& options, std::vector<double> weights) {
    const auto groups = static_cast<std::uint32_t>(options.groups);
    const auto top = static_cast<std::uint32_t>(options.top_groups);
    return {std::move(weights), static_cast<std::uint32_t>(options.top_k), groups,
            top == 0 ? groups : top};
  }

  double share_;
  ExpertDraw usual_;
  std::unique_ptr<ExpertDraw> popular_;
  std::vector<RandomStream> streams_;  ///< by rank
};

/// Divides `choices` in proportion to counts, by largest remainders; equal ones by number.
std::vector<std::uint64_t> Apportion(const std::vector<std::int64_t>& counts,
                                     std::uint64_t choices) {
  using Wide = unsigned __int128;
  Wide sum = 0;
  for (const std::int64_t count : counts) sum += static_cast<Wide>(count);
  std::vector<std::uint64_t> parts;
  std::vector<std::pair<Wide, std::size_t>> rests;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Wide share = static_cast<Wide>(counts[i]) * choices;
    parts.push_back(static_cast<std::uint64_t>(share / sum));
    rests.emplace_back(sum - share % sum, i);
    given += parts.back();
  }
  std::sort(rests.begin(), rests.end());
  for (std::size_t i = 0; given < choices; ++i, ++given) ++parts[rests[i].second];
  return parts;
}

class CountSource final : public TokenSource {
 public:
  CountSource(const ExpertOptions& options, std::uint32_t ranks, std::uint64_t layer)
      : tokens_(static_cast<std::uint64_t>(options.tokens)),
        top_k_(static_cast<std::uint32_t>(options.top_k)) {
    const ExpertTable& table = *options.table_data;
    const std::vector<std::uint64_t> parts = Apportion(table.counts, tokens_ * top_k_);
    CheckParts(table, parts);
    std::vector<std::uint32_t> order(parts.size());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::iota(order.begin(), order.end(), 0U);
      RandomStream random = StreamOfRank(options, layer, rank);
      Shuffle(&order, &random);
      OfRank& of = ranks_.emplace_back();
      std::uint64_t end = 0;
      for (const std::uint32_t expert : order) of.ends.push_back(end += parts[expert]);
      of.order = order;
    }
  }

  bool Next(std::uint32_t rank, std::uint32_t token, std::vector<std::uint32_t>* experts) override {
    const OfRank& of = ranks_[rank];
    experts->clear();
    for (std::uint64_t i = 0; i < top_k_; ++i) {
      const auto at = std::upper_bound(of.ends.begin(), of.ends.end(), token + i * tokens_);
      experts->push_back(of.order[static_cast<std::size_t>(at - of.ends.begin())]);
    }
    return true;
  }

 private:
  struct OfRank {
    std::vector<std::uint32_t> order;
    std::vector<std::uint64_t> ends;
  };

  /// Throws UserError if a token would choose an expert twice.
  void CheckParts(const ExpertTable& table, const std::vector<std::uint64_t>& parts) const {
    const auto most = std::max_element(parts.begin(), parts.end());
    if (*most <= tokens_) return;
    throw UserError(fmt::format(
        "{}: expert {} has {} of {} choices of a rank with {} tokens, and a token chooses an "
        "expert once. Expected: no expert with more than 1/{} of the counts (experts.top_k)",
        table.file, most - parts.begin(), *most, tokens_ * top_k_, tokens_, top_k_));
  }

  std::uint64_t tokens_;
  std::uint32_t top_k_;
  std::vector<OfRank> ranks_;
};

class TableSource final : public TokenSource {
 public:
  explicit TableSource(std::shared_ptr<const ExpertTable> table) : table_(std::move(table)) {}

  bool Next(std::uint32_t rank, std::uint32_t token, std::vector<std::uint32_t>* experts) override {
    experts->clear();
    if (rank >= table_->tokens.size() || token >= table_->tokens[rank].size()) return false;
    *experts = table_->tokens[rank][token];
    return true;
  }

 private:
  std::shared_ptr<const ExpertTable> table_;
};

/// Throws UserError if a law's options do not fit each other.
void CheckLaw(const ExpertOptions& options) {
  if (options.top_k > options.count)
    throw UserError(fmt::format("experts.top_k={} of experts.count={}. Expected: at most {}",
                                options.top_k, options.count, options.count));
  if (options.count % options.groups != 0)
    throw UserError(fmt::format("experts.count={} in experts.groups={}. Expected: a divisor of {}",
                                options.count, options.groups, options.count));
  if (options.top_groups > options.groups)
    throw UserError(fmt::format("experts.top_groups={} of experts.groups={}. Expected: at most {}",
                                options.top_groups, options.groups, options.groups));
  const std::int64_t top = options.top_groups == 0 ? options.groups : options.top_groups;
  const std::int64_t choice = options.count / options.groups * top;
  if (options.top_k > choice)
    throw UserError(fmt::format(
        "experts.top_k={}, but experts.top_groups={} groups have {} experts. Expected: at most {}",
        options.top_k, top, choice, choice));
  if (options.routing == Routing::kHot && options.hot < options.top_k)
    throw UserError(fmt::format("experts.hot={} with experts.top_k={}. Expected: at least {}",
                                options.hot, options.top_k, options.top_k));
}

/// Throws UserError if there is no table, or not of the form that the routing asks for.
void CheckTable(const ExpertOptions& options, std::uint32_t ranks) {
  const bool by_token = options.routing == Routing::kTokens;
  if (options.table_data == nullptr)
    throw UserError(fmt::format("experts.routing={} without a file. Expected: experts.table=FILE",
                                ToText(options.routing)));
  const ExpertTable& table = *options.table_data;
  if (by_token && table.tokens.size() > ranks)
    throw UserError(
        fmt::format("{}: tokens of rank {}, but expert groups have {} ranks. Expected: ranks 0 to "
                    "{}",
                    table.file, table.tokens.size() - 1, ranks, ranks - 1));
  for (std::size_t rank = 0; rank < table.tokens.size(); ++rank) {
    for (const std::vector<std::uint32_t>& experts : table.tokens[rank]) {
      const std::uint32_t most = *std::max_element(experts.begin(), experts.end());
      if (static_cast<std::int64_t>(most) < options.count) continue;
      throw UserError(fmt::format(
          "{}: a token of rank {} chooses expert {}, with experts.count={}. Expected: experts 0 "
          "to {}",
          table.file, rank, most, options.count, options.count - 1));
    }
  }
  if (!by_token && table.counts.size() != static_cast<std::size_t>(options.count))
    throw UserError(fmt::format("{}: {} experts, with experts.count={}. Expected: experts.count={}",
                                table.file, table.counts.size(), options.count,
                                table.counts.size()));
}

}  // namespace

TokenCounts CountTokens(const ExpertOptions& options) {
  if (options.routing != Routing::kTokens || options.table_data == nullptr)
    return {static_cast<std::uint32_t>(options.tokens), static_cast<std::uint32_t>(options.top_k)};
  TokenCounts counts;
  for (const auto& tokens : options.table_data->tokens) {
    counts.tokens = std::max(counts.tokens, static_cast<std::uint32_t>(tokens.size()));
    if (!tokens.empty()) counts.top_k = static_cast<std::uint32_t>(tokens.front().size());
  }
  return counts;
}

std::unique_ptr<TokenSource> MakeTokenSource(const ExpertOptions& options, std::uint32_t ranks,
                                             std::uint64_t layer) {
  if (FindExpertLaw(options.routing) != nullptr) {
    CheckLaw(options);
    return std::make_unique<LawSource>(options, ranks, layer, DrawExpertWeights(options, layer));
  }
  CheckTable(options, ranks);
  if (options.routing == Routing::kTokens) return std::make_unique<TableSource>(options.table_data);
  return std::make_unique<CountSource>(options, ranks, layer);
}

}  // namespace heddle
