// SPDX-License-Identifier: GPL-2.0-only
/// Options of experts: which experts tokens choose, and how tokens reach them;
/// docs/models/experts.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle {

class OptionSet;
struct ExpertTable;

struct ExpertOptions {
  /// kEven: all pairs of ranks exchange the same bytes, as the workload says. kCounts, kTokens: as
  /// a file says, by expert and by token. The others are rows of expert_law.h.
  enum class Routing : std::uint8_t { kEven, kUniform, kLognormal, kZipf, kHot, kCounts, kTokens };
  friend constexpr auto WordsOf(Routing /*type*/) {
    return std::array{"even", "uniform", "lognormal", "zipf", "hot", "counts", "tokens"};
  }
  /// What a token costs. kPlain: a row for each of its experts; kRank: one for each rank with
  /// experts of it; kServer: one for each server, which is spread there (two_hop_schedule.h).
  enum class Form : std::uint8_t { kPlain, kRank, kServer };
  friend constexpr auto WordsOf(Form /*type*/) { return std::array{"plain", "rank", "server"}; }
  /// Whether popular experts are neighbours.
  enum class Order : std::uint8_t { kPermuted, kInOrder };
  friend constexpr auto WordsOf(Order /*type*/) { return std::array{"permuted", "in_order"}; }
  /// Of the forward's dispatch: as the workload says, or FP8 with a scale for 128 numbers.
  enum class Precision : std::uint8_t { kFile, kFp8 };
  friend constexpr auto WordsOf(Precision /*type*/) { return std::array{"file", "fp8"}; }

  Routing routing = Routing::kEven;
  Form form = Form::kPlain;
  Order order = Order::kPermuted;
  Precision dispatch = Precision::kFile;
  std::int64_t count = 256;     ///< experts of a layer
  std::int64_t top_k = 8;       ///< experts of a token
  std::int64_t tokens = 4096;   ///< of a rank in a micro-batch
  std::int64_t groups = 1;      ///< equal groups of neighbouring experts
  std::int64_t top_groups = 0;  ///< groups of a token, at most; 0: any
  double zipf = 1;              ///< exponent
  double sigma = 0.43;          ///< of the logarithm of weights
  std::int64_t hot = 32;        ///< popular experts
  double hot_share = 0.9;       ///< of tokens that choose among them only
  double capacity = 0;          ///< of an expert, in mean loads; 0: no limit
  bool compute = true;          ///< experts compute as long as their load says
  std::int64_t seed = 1;
  std::string table;                              ///< file of counts or tokens
  std::shared_ptr<const ExpertTable> table_data;  ///< what the file says; null: none is named

  /// Whether pairs of ranks differ.
  bool on() const { return routing != Routing::kEven; }
  /// Declares the keys experts.*; `options` writes to this, which must outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
