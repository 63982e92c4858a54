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
  explicit AttributeMap(const std::vector<Attribute>& attributes);
  std::optional<std::string> Text(const std::string& name) const;
  std::optional<std::int64_t> Integer(const std::string& name) const;
  /// An integer is converted.
  std::optional<double> Number(const std::string& name) const;
  const std::map<std::string, Attribute>& all() const { return by_name_; }

 private:
  std::map<std::string, Attribute> by_name_;
};

}  // namespace heddle
