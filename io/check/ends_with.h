// SPDX-License-Identifier: GPL-2.0-only
/// Whether a name has an ending.
#pragma once

#include <string_view>

namespace heddle {

/// Whether `text` ends with `end`, as ends_with() of C++20.
inline bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace heddle
