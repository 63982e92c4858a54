// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/attribute_map.h"

#include <variant>

namespace heddle {

AttributeMap::AttributeMap(const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) by_name_[attribute.name] = attribute;
}

std::optional<std::string> AttributeMap::Text(const std::string& name) const {
  const auto found = by_name_.find(name);
  const auto* text =
      found == by_name_.end() ? nullptr : std::get_if<std::string>(&found->second.value);
  return text == nullptr ? std::nullopt : std::optional<std::string>(*text);
}

std::optional<std::int64_t> AttributeMap::Integer(const std::string& name) const {
  const auto found = by_name_.find(name);
  const auto* number =
      found == by_name_.end() ? nullptr : std::get_if<std::int64_t>(&found->second.value);
  return number == nullptr ? std::nullopt : std::optional<std::int64_t>(*number);
}

std::optional<double> AttributeMap::Number(const std::string& name) const {
  if (const auto whole = Integer(name)) return static_cast<double>(*whole);
  const auto found = by_name_.find(name);
  const auto* number =
      found == by_name_.end() ? nullptr : std::get_if<double>(&found->second.value);
  return number == nullptr ? std::nullopt : std::optional<double>(*number);
}

}  // namespace heddle
