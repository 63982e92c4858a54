// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/command_description.h"

#include <algorithm>

namespace heddle {

std::vector<std::string> ChoicesOf(const std::string& value) {
  std::vector<std::string> choices;
  if (value.find('|') == std::string::npos) return choices;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    choices.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

}  // namespace heddle
