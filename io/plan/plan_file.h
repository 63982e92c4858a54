// SPDX-License-Identifier: GPL-2.0-only
/// Reader of plans: a training step as a person writes it down, in TOML (docs/formats/plan.md).
///
/// A plan names a model, GPUs, the sizes of its parallel groups and a batch; what it leaves out is
/// what Megatron-LM does. It knows no fabric.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/plan/resolve_plan.h"

namespace heddle {

/// Whether a file is read as a plan: by its name, which ends in ".toml".
bool IsPlanFile(const std::string& path);

/// Reads what a plan says. `replaced`: texts "KEY=VALUE" that replace keys, such as "tp=4". Paths
/// in the file are relative to its folder, in `replaced` to the working folder. Throws UserError
/// "FILE:LINE: found. Expected: ...", or "--plan: ..." for a text.
PlanRequest ReadPlan(const std::string& path, const std::vector<std::string>& replaced);

/// Replaces a key by "KEY=VALUE", whose value may be a text without quotes; paths are relative to
/// the working folder. Throws UsageError for another form, UserError for keys and values.
void ReplaceKey(const std::string& text, PlanRequest* plan);

/// Resolves what ReadPlan() returned for `path`. Throws UserError with the names of keys.
StepPlan ResolvePlanFile(const PlanRequest& given, const std::string& path);

/// Parses text in memory; `name` is the file's in messages, `folder` what paths are relative to.
PlanRequest ParsePlan(std::string_view text, const std::string& name, const std::string& folder);

/// Returns a message that names flags of `heddle workload` with the names of keys in their place.
std::string InWordsOfPlan(const std::string& message);
/// Returns the files that a plan names: times, a schedule, choices of experts.
std::vector<std::string> FilesOfPlan(const PlanRequest& given);

/// Returns the request as a file's text, without what it leaves to defaults. `comment`: one line at
/// its head.
std::string PlanText(const PlanRequest& given, const std::string& comment);

}  // namespace heddle
