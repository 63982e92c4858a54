// SPDX-License-Identifier: GPL-2.0-only
/// The user's text for the GPUs of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle {

/// First and last GPU, inclusive.
struct GpuRange {
  std::uint32_t first = 0, last = 0;
};

/// Either ranges or a number of GPUs.
struct GpuList {
  std::vector<GpuRange> ranges;
  std::uint32_t count = 0;  ///< if there are no ranges; 0: all free GPUs
};

inline constexpr const char* kGpuListForms =
    "ranges of GPUs such as 0-63 or 0-7+32-39 (one GPU: 5-5), or a number of GPUs such as 64";

/// Accepts "0-63", "0-7+32-39" (within a sum a bare number is one GPU), "64", "". Empty result for
/// anything else.
std::optional<GpuList> ParseGpuList(std::string_view text);

}  // namespace heddle
