// SPDX-License-Identifier: GPL-2.0-only
/// A result's attributes against the schema, and what they say about the rest of the file.
#ifndef HEDDLE_IO_CHECK_ATTRIBUTE_VALIDATION_H_
#define HEDDLE_IO_CHECK_ATTRIBUTE_VALIDATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/check/table_validation.h"
#include "io/result/result_schema.h"

namespace heddle {

/// The attribute's value; nothing if there is none of this type.
std::optional<std::int64_t> IntegerOf(const std::vector<Attribute>& attributes,
                                      const std::string& name);
std::optional<std::string> TextOf(const std::vector<Attribute>& attributes,
                                  const std::string& name);

/// Which optional parts a file with these root attributes has.
FileKind KindOf(const std::vector<Attribute>& attributes);

/// Looks for unknown and missing attributes, other types, numbers that cannot be. `place`:
/// "attribute " or "attribute /run@".
void ValidateAttributes(const std::vector<AttributeSchema>& schema,
                        const std::vector<Attribute>& attributes, const FileKind& kind,
                        const std::string& place, std::vector<Finding>* findings);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_ATTRIBUTE_VALIDATION_H_
