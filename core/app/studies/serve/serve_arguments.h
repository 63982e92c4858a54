// SPDX-License-Identifier: GPL-2.0-only
/// The command line of `heddle serve`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

struct ServeArguments {
  std::string topology, deployment;
  ServingArguments serving;
  std::uint64_t seed = 1;        ///< of a law
  std::string backend = "flow";  ///< or kClosedForm
  std::string output;            ///< result of a run; empty: none
  std::string csv;               ///< file for a line a request
  std::string ranks;             ///< as of heddle run; empty: this process
  RoutingArguments routing;
  bool force = false, json = false;
  std::vector<std::string> run_flags;  ///< behind --

  static constexpr const char* kClosedForm = "closed-form";
  bool closed_form() const { return backend == kClosedForm; }
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseServeArguments(const std::vector<std::string>& arguments, ServeArguments* given);

/// Returns the words of `heddle run` that do the same on a backend.
std::vector<std::string> WordsOfRun(const ServeArguments& given);

}  // namespace heddle
