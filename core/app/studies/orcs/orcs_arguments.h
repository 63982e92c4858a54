// SPDX-License-Identifier: GPL-2.0-only
/// The command line of ORCS 1.1 and 2.0, for `heddle congestion --compat`: GNU's long options,
/// which may be abbreviated, as may the words of a choice.
#pragma once

#include <string>
#include <vector>

namespace heddle {

enum class OrcsVersion { k11, k20 };

struct OrcsArguments {
  OrcsVersion version = OrcsVersion::k20;
  std::string input = "-", output = "-";
  std::string pattern = "bisect", first = "bisect", second = "bisect", argument;
  std::string metric = "hist_max_cong", subset = "rand", part_subset = "none", order_file = "-";
  int ranks = 0, first_ranks = 2, runs = 1, level = -1;
  bool pattern_given = false, argument_given = false;
  bool shuffle = true, print_pattern = false, print_names = false;
  bool check_routes = false, check_file = false, count_levels = false;
  bool help = false, version_asked = false;
  // heddle's own.
  unsigned long long seed = 1;
  bool force = false;    ///< replace an existing output
  std::string mappings;  ///< a file of mappings, one run a line (--mappings)

  bool is_old() const { return version == OrcsVersion::k11; }  ///< ORCS 1.1
};

/// Parses the words after `heddle congestion --compat VERSION`. Throws UserError as ORCS ends with
/// 1: for unknown options, missing or superfluous words, and choices that are unknown or ambiguous.
OrcsArguments ParseOrcsArguments(OrcsVersion version, const std::vector<std::string>& words);

/// "orcs-1.1" or "orcs-2.0". Throws UsageError.
OrcsVersion ParseOrcsVersion(const std::string& text);

/// Returns the options that a version takes, as text.
std::string OrcsHelp(OrcsVersion version);

}  // namespace heddle
