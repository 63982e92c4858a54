// SPDX-License-Identifier: GPL-2.0-only
/// Attributes of nodes: one value for each, whichever of protobuf's types it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

namespace chakra_wire {
class Attribute;
}

/// A whole number, and whether it was given as text or as a floating number.
struct ChakraWhole {
  std::int64_t value = 0;
  bool converted = false;
};

/// Returns the attribute as a whole number; none if its value is none, or is beyond 64 bits.
std::optional<ChakraWhole> WholeOf(const chakra_wire::Attribute& attribute);

/// Returns the attribute as a text; numbers as their digits.
std::string TextOf(const chakra_wire::Attribute& attribute);

/// Returns the attribute for a message: "2.5", "'one'", "a value of another type".
std::string FoundIn(const chakra_wire::Attribute& attribute);

}  // namespace heddle
