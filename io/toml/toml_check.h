// SPDX-License-Identifier: GPL-2.0-only
/// A check of a TOML file's characters before toml++ reads it.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// When toml++ 3.3 expects a bare word, some characters beyond ASCII cause undefined behaviour. So
/// these are allowed in comments and one-line strings only, and Unicode line breaks nowhere.
/// Otherwise throws UserError with `path` and the line.
void CheckTomlLetters(std::string_view text, const std::string& path);

}  // namespace heddle
