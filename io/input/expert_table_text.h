// SPDX-License-Identifier: GPL-2.0-only
/// Tables of experts as text (docs/formats/experts.md): choices by expert, or experts by token.
#pragma once

#include <string>
#include <string_view>

#include "core/traffic/expert_table.h"

namespace heddle {

/// Reads lines `EXPERT COUNT`, each expert once, from 0 on without gaps, in any order. Throws
/// UserError with file `name` and line.
ExpertTable ParseExpertCounts(std::string_view text, const std::string& name);

/// Reads lines `RANK EXPERT ...`, a token each, in the order of the rank's tokens, with as many
/// experts each, all different. Throws UserError with file `name` and line.
ExpertTable ParseTokenExperts(std::string_view text, const std::string& name);

}  // namespace heddle
