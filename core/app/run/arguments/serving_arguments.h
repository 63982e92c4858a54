// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle serve` and `heddle run --serve` are given about requests to a language model.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/app/run/arguments/run_arguments.h"
#include "core/serving/serving_figures.h"

namespace heddle {

/// Declares --requests, --first, --rate-scale, --rate, --deploy, --spread and --slo.
void AddServingArguments(CLI::App* app, const std::string& group, ServingArguments* given);

/// Throws UsageError for values that cannot be parsed, and for those that do not go together.
/// `serves`: whether there is a deployment; without one, there must be none of these.
void CheckServingArguments(const ServingArguments& given, bool serves);

/// Returns what decides which requests come and what serves them, beside the contents of files and
/// the seed.
std::string IdentityOfRequests(const ServingArguments& given);

/// Parses --slo: "ttft=2s,tpot=50ms,e2el=30s" or some of it; empty: no limits. Throws UsageError.
ServiceLevel ParseServiceLevel(const std::string& text);

}  // namespace heddle
