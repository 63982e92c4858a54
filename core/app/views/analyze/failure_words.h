// SPDX-License-Identifier: GPL-2.0-only
/// Words that the texts of failures share.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Microseconds of a time in ps.
inline double UsOf(std::int64_t ps) { return Time{ps}.microseconds(); }

/// "1 flow", "2 flows"
inline std::string CountText(std::int64_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// "job 0 (pair.work)"
inline std::string NameOfJob(std::uint32_t job, const std::string& name) {
  return name.empty() ? fmt::format("job {}", job) : fmt::format("job {} ({})", job, name);
}

/// Parts with commas between them; empty ones are left out.
inline std::string JoinParts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// `text`, or nothing.
inline std::string TextIf(bool condition, std::string text) {
  return condition ? std::move(text) : "";
}

}  // namespace heddle
