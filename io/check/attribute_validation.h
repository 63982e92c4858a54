// SPDX-License-Identifier: GPL-2.0-only
/// Checks a result's attributes against the schema, and derives which optional contents the file
/// must have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/check/table_validation.h"
#include "io/schema/result_schema.h"

namespace heddle {

/// Returns the attribute's value; none if there is no attribute of this name and type.
std::optional<std::int64_t> IntegerOf(const std::vector<Attribute>& attributes,
                                      const std::string& name);
/// Returns none also if the attribute is a number.
std::optional<std::string> TextOf(const std::vector<Attribute>& attributes,
                                  const std::string& name);

/// Which optional contents a file with these root attributes has.
ResultKind KindOf(const std::vector<Attribute>& attributes);

/// Finds unknown and missing attributes, wrong types, and impossible numbers. `place`: "attribute "
/// or "attribute /run@".
void ValidateAttributes(const std::vector<AttributeSchema>& schema,
                        const std::vector<Attribute>& attributes, const ResultKind& kind,
                        const std::string& place, std::vector<Finding>* findings);

}  // namespace heddle
