// SPDX-License-Identifier: GPL-2.0-only
/// Attributes of a result, looked up by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Attributes by name, with access by type.
class AttributeMap {
 public:
  /// Keeps the last of several attributes of one name.
  explicit AttributeMap(const std::vector<Attribute>& attributes);
  /// Returns none if there is no such attribute, or it is a number.
  std::optional<std::string> Text(const std::string& name) const;
  /// Returns none if there is no such attribute, or it is of another type.
  std::optional<std::int64_t> Integer(const std::string& name) const;
  /// Returns none if there is no such attribute, or it is text. An integer is converted.
  std::optional<double> Number(const std::string& name) const;
  const std::map<std::string, Attribute>& all() const { return by_name_; }  ///< by name

 private:
  std::map<std::string, Attribute> by_name_;
};

}  // namespace heddle
