// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle calibrate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/base/cli/parse_arguments.h"

namespace heddle {

struct CalibrateArguments {
  std::vector<std::string> measured;  ///< results, or texts of nccl-tests; at least one
  std::string topology;               ///< of a text
  std::string operation;              ///< of a text that does not say it; empty: not given
  std::uint32_t ranks = 0;            ///< of a text that does not say it; 0: not given
  std::vector<std::string> settings;  ///< KEY=VALUE
  std::string times = "both";         ///< of a text: both, out-of-place, in-place
  std::string output;
  bool in_place = false, force = false, json = false;

  /// Whether a text's times out of place count, or those in place.
  bool takes_out_of_place() const { return times != "in-place" && !in_place; }
  bool takes_in_place() const { return times != "out-of-place"; }  ///< likewise
};

/// Declares the flags, which write to `given`.
void AddArguments(CLI::App* app, CalibrateArguments* given);

/// Throws UsageError for flags of texts beside a result.
void CheckArguments(const CalibrateArguments& given, bool is_result);

}  // namespace heddle
