// SPDX-License-Identifier: GPL-2.0-only
/// What a file says of experts (io/input/expert_table_text.h): choices by expert, or by token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// One of both forms is empty.
struct ExpertTable {
  std::string file;  ///< name for messages
  /// By expert: in proportion to how often it is chosen, at least 0; one above 0.
  std::vector<std::int64_t> counts;
  /// By rank of an expert group and token: its experts, all different, of each token as many.
  std::vector<std::vector<std::vector<std::uint32_t>>> tokens;
};

}  // namespace heddle
