// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/check.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

std::string ToText(const SourceLine& where) {
  return where.line > 0 ? fmt::format("{}:{}", where.file, where.line) : where.file;
}

void FailInput(const SourceLine& where, const std::string& found, const std::string& expected) {
  throw UserError(fmt::format("{}: {}. Expected: {}", ToText(where), found, expected));
}

namespace detail {
void FailAssertion(const char* kind, const char* condition, const char* file, int line) {
  throw InvariantError(fmt::format("{} failed: {} ({}:{})", kind, condition, file, line));
}
}  // namespace detail

}  // namespace heddle
