// SPDX-License-Identifier: GPL-2.0-only
/// The tokens of a layer in a group of ranks, and who gets them.
///
/// Rank r of N has the experts from r E/N on, E/N of them. A row is what one token sends to one
/// place. Tokens are drawn whenever they are visited, and not kept: 64 ranks with 4096 tokens of 8
/// experts would be 4 MiB a layer.
///
/// Capacity factor c (GShard, arXiv 2006.16668): an expert takes at most ceil(c T k N / E) choices,
/// in the order of tokens, then ranks; a choice beyond that is dropped, and sends nothing.
///
/// Invariant: choices of experts plus dropped ones are T k N, if all ranks have T tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/experts/expert_options.h"
#include "collectives/experts/token_source.h"

namespace heddle {

class RoutedTokens {
 public:
  /// `layer`: its number, with which choices differ. Throws UserError for options that do not fit
  /// each other or the ranks.
  RoutedTokens(const ExpertOptions& options, std::uint32_t ranks, std::uint64_t layer);

  std::uint32_t ranks() const { return ranks_; }  ///< N
  /// Tokens of a rank at most, and choices of each: T and k.
  TokenCounts counts() const { return counts_; }
  /// Rows from rank a to rank b at a * N + b: one for each choice of b's experts.
  const std::vector<std::uint32_t>& choices() const { return choices_; }
  /// The same with one row for each token that has an expert there, at least one.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  const std::vector<std::uint64_t>& loads() const { return loads_; }  ///< choices by expert
  std::uint64_t LoadOfRank(std::uint32_t rank) const;                 ///< choices of its experts
  std::uint64_t choices_in_all() const { return choices_in_all_; }    ///< dropped ones are not in
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t digest() const { return digest_; }  ///< of all choices in their order

  /// Visits each token's experts, without dropped choices, in the order of tokens, then ranks.
  using Visit = std::function<void(std::uint32_t rank, const std::vector<std::uint32_t>& experts)>;
  void ForEach(const Visit& visit) const;
  /// Returns the rows from each rank to each server at rank * servers + server, one for each token
  /// with an expert there. `server_of`: by rank, below `servers`.
  std::vector<std::uint32_t> RowsByServer(const std::vector<std::uint32_t>& server_of,
                                          std::uint32_t servers) const;
  /// Returns the rank that has an expert.
  std::uint32_t RankOf(std::uint32_t expert) const { return expert / experts_of_rank_; }

 private:
  /// Counts all that is known of tokens without servers.
  void Count();

  ExpertOptions options_;
  std::uint32_t ranks_;
  std::uint64_t layer_;
  TokenCounts counts_;
  std::uint32_t experts_of_rank_ = 1;
  std::uint64_t capacity_ = 0;  ///< choices of an expert; 0: no limit
  std::vector<std::uint32_t> choices_, rows_;
  std::vector<std::uint64_t> loads_;
  std::uint64_t choices_in_all_ = 0, dropped_ = 0, digest_ = 0;
};

}  // namespace heddle
