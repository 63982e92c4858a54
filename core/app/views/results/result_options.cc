// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/result_options.h"

#include <string>
#include <variant>

namespace heddle {

void TakeOptions(const AttributeMap& root, AllOptions* options) {
  const std::string prefix = "option ";
  for (const auto& [name, attribute] : root.all()) {
    if (name.rfind(prefix, 0) != 0) continue;
    const std::string key = name.substr(prefix.size());
    const auto* value = std::get_if<std::string>(&attribute.value);
    if (value != nullptr && options->options.Knows(key)) options->options.Set(key, *value);
  }
}

}  // namespace heddle
