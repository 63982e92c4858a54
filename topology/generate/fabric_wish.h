// SPDX-License-Identifier: GPL-2.0-only
/// What a user may ask of every shape: a number of GPUs and a ratio, from which its sizes follow.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/generate/flag_set.h"

namespace heddle {

/// The flag of a number of GPUs, as SimAI's generator has it, and `--gpus`.
inline const FlagSet::About kGpusFlag = {"g", "gpu", "number of GPUs", "GPUs", "gpus"};

struct FabricWish {
  std::uint32_t gpus = 0;  ///< 0: sizes are given
  std::string oversubscription = kNoRatio;
  std::uint32_t radix = 0;  ///< most ports of a switch; 0: by the rate of the GPUs' links
  std::string answer;       ///< the sizes found, for a note: "-down 16x32 -up 1x16"; empty: none

  /// Binds -g and -ov. `ratio_help` says which cables the ratio counts.
  void Declare(FlagSet* flags, const std::string& ratio_help);
  /// Binds --radix, of shapes whose sizes keep to it.
  void DeclareRadix(FlagSet* flags);

  /// Whether the user gave a number of GPUs.
  bool is_asked() const { return gpus > 0; }
  /// Returns the wanted oversubscription, > 0; 1 if none is asked for.
  double ratio() const { return ReadRatio(oversubscription).value_or(1); }

  /// Throws UsageError for a ratio without a number of GPUs, and for a number of GPUs beside one of
  /// the sizes `flag` that it would set.
  void CheckFlags(const std::string& fabric, const FlagSet& flags,
                  const std::vector<std::string>& sizes) const;

  /// Throws UserError that names the next numbers of GPUs, in whole servers, for which `has_sizes`
  /// holds; `rule` says what the sizes must obey.
  [[noreturn]] void RefuseSize(const std::string& fabric, std::uint32_t gpus_per_server,
                               const std::string& rule,
                               const std::function<bool(std::uint32_t gpus)>& has_sizes) const;

  /// Returns "Dragonfly: 72 GPUs at 1 : 1 are -a 4 -gl 2 -p 2 -groups 9"; empty if nothing was
  /// asked for.
  std::vector<std::string> Notes(const std::string& fabric) const;
};

}  // namespace heddle
