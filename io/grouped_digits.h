// SPDX-License-Identifier: GPL-2.0-only
/// Whole numbers for people.
#ifndef HEDDLE_IO_GROUPED_DIGITS_H_
#define HEDDLE_IO_GROUPED_DIGITS_H_

#include <cstdint>
#include <string>

namespace heddle {

/// "1,234,567".
inline std::string GroupedDigits(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace heddle

#endif  // HEDDLE_IO_GROUPED_DIGITS_H_
