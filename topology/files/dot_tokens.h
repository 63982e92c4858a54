// SPDX-License-Identifier: GPL-2.0-only
/// A limit on the length of texts and names in Graphviz's DOT.
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// Longest quoted text, name or HTML text [byte]. cgraph's scanner reads a text again with each 8
/// KiB of it: 2 MiB take 3 s, 12 MiB a minute and a half. The destinations of an edge among 65,535
/// hosts are 1 MiB.
inline constexpr std::size_t kMostDotToken = std::size_t{2} << 20;

/// Throws UserError that names the line (of file `name`) where a longer one begins.
void CheckDotTokens(const std::string& text, const std::string& name);

}  // namespace heddle
