// SPDX-License-Identifier: GPL-2.0-only
/// One value of a sweep's table.
#pragma once

#include <string>

#include "core/base/check.h"

namespace heddle {

/// A key with its value and its line in the file.
struct SweepEntry {
  /// A run key (core/app/launch/sweep_table/run_keys.h), or an option of `heddle options` by either
  /// of its names.
  std::string key;
  std::string value;  ///< as on a command line
  SourceLine where;
  std::string label = {};  ///< what names and tables call the value; empty: the value itself
  std::string word = {};   ///< of an option, which needs no key beside it: "dcqcn"; empty: none
};

}  // namespace heddle
