// SPDX-License-Identifier: GPL-2.0-only
/// Draws the experts of one token after the other.
///
/// Experts come in the order of exponential times with their weights as rates, which is choosing in
/// proportion to weights among those left; a score is minus the logarithm of a time, so the
/// weight's logarithm plus Gumbel noise. Without a limit of groups a token takes the first k. With
/// one (DeepSeek-V3's gate, arXiv 2412.19437) it takes the first k of the groups whose best two
/// scores sum highest.
///
/// Omitted: scores that depend on the token beyond chance; the bias by which the gate balances
/// experts, of which weights are what is left.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace heddle {

class ExpertDraw {
 public:
  /// `weights`: by expert, all above 0. `groups` divides their number; a token uses at most
  /// `top_groups` of them, which have at least `top_k` experts.
  ExpertDraw(std::vector<double> weights, std::uint32_t top_k, std::uint32_t groups,
             std::uint32_t top_groups);

  /// Sets `experts` to those of the next token, all different.
  void Draw(RandomStream* random, std::vector<std::uint32_t>* experts);

 private:
  std::uint32_t experts() const { return static_cast<std::uint32_t>(weights_.size()); }
  /// Returns an expert that is not taken, and takes it.
  std::uint32_t Take(RandomStream* random);
  /// Returns one, drawn among all that are left.
  std::uint32_t DrawAmongLeft(RandomStream* random) const;
  /// Forgets what was taken.
  void Reset();
  /// Draws until each group has its best two, and marks the groups of the token.
  void ChooseGroups(RandomStream* random);

  std::vector<double> weights_, ends_;  ///< ends_: sums of the weights up to each expert
  std::uint32_t top_k_, groups_, top_groups_;
  double left_ = 0;                    ///< weight of those that are not taken
  std::vector<std::uint32_t> order_;   ///< those taken, in order
  std::vector<std::uint8_t> taken_;    ///< by expert
  std::vector<std::uint8_t> allowed_;  ///< by group
};

}  // namespace heddle
