// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_attributes.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/check.h"
#include "io/chakra/chakra_wire.pb.h"

namespace heddle {
namespace {

using chakra_wire::Attribute;

std::optional<ChakraWhole> WholeOfUnsigned(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return ChakraWhole{static_cast<std::int64_t>(number), false};
}

std::optional<ChakraWhole> WholeOfDouble(double number) {
  constexpr double kLimit = 9.2e18;
  if (!(std::abs(number) < kLimit) || std::trunc(number) != number) return std::nullopt;
  return ChakraWhole{static_cast<std::int64_t>(number), true};
}

std::optional<ChakraWhole> WholeOfText(std::string_view text) {
  ChakraWhole whole{0, true};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole.value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return whole;
}

}  // namespace

std::optional<ChakraWhole> WholeOf(const Attribute& attribute) {
  switch (attribute.value_case()) {
    case Attribute::kAsInt32:
      return ChakraWhole{attribute.as_int32(), false};
    case Attribute::kAsInt64:
      return ChakraWhole{attribute.as_int64(), false};
    case Attribute::kAsUint32:
      return ChakraWhole{attribute.as_uint32(), false};
    case Attribute::kAsUint64:
      return WholeOfUnsigned(attribute.as_uint64());
    case Attribute::kAsSint32:
      return ChakraWhole{attribute.as_sint32(), false};
    case Attribute::kAsSint64:
      return ChakraWhole{attribute.as_sint64(), false};
    case Attribute::kAsFixed32:
      return ChakraWhole{attribute.as_fixed32(), false};
    case Attribute::kAsFixed64:
      return WholeOfUnsigned(attribute.as_fixed64());
    case Attribute::kAsSfixed32:
      return ChakraWhole{attribute.as_sfixed32(), false};
    case Attribute::kAsSfixed64:
      return ChakraWhole{attribute.as_sfixed64(), false};
    case Attribute::kAsBool:
      return ChakraWhole{attribute.as_bool() ? 1 : 0, false};
    case Attribute::kAsDouble:
      return WholeOfDouble(attribute.as_double());
    case Attribute::kAsFloat:
      return WholeOfDouble(static_cast<double>(attribute.as_float()));
    case Attribute::kAsText:
      return WholeOfText(attribute.as_text());
    case Attribute::kAsBytes:
      return WholeOfText(attribute.as_bytes());
    case Attribute::kAsFlags:
    case Attribute::VALUE_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string TextOf(const Attribute& attribute) {
  if (attribute.value_case() == Attribute::kAsText) return attribute.as_text();
  if (attribute.value_case() == Attribute::kAsBytes) return attribute.as_bytes();
  const std::optional<ChakraWhole> whole = WholeOf(attribute);
  return whole ? std::to_string(whole->value) : std::string();
}

std::string FoundIn(const Attribute& attribute) {
  switch (attribute.value_case()) {
    case Attribute::kAsDouble:
      return fmt::format("{}", attribute.as_double());
    case Attribute::kAsFloat:
      return fmt::format("{}", attribute.as_float());
    case Attribute::kAsUint64:
      return fmt::format("{}", attribute.as_uint64());
    case Attribute::kAsFixed64:
      return fmt::format("{}", attribute.as_fixed64());
    case Attribute::kAsText:
      return "'" + Printable(attribute.as_text()) + "'";
    case Attribute::kAsBytes:
      return "'" + Printable(attribute.as_bytes()) + "'";
    default:
      break;
  }
  const std::optional<ChakraWhole> whole = WholeOf(attribute);
  return whole ? std::to_string(whole->value) : "a value of another type";
}

}  // namespace heddle
