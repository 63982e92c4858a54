// SPDX-License-Identifier: GPL-2.0-only
/// Groups of ranks: from a file of communicator groups, or from METADATA nodes of the trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Fills ChakraTrace::groups. Names "" and "0" are all ranks.
class ChakraGroups {
 public:
  /// `groups` must outlive it, and gets its first one. `ranks`: of the trace.
  ChakraGroups(std::vector<ChakraGroup>* groups, std::uint32_t ranks);

  /// Adds groups of a file {"1": [0, 1], ...}; they count instead of those of METADATA nodes.
  /// `name`: the file's, for messages. Throws UserError.
  void AddFile(std::string_view text, const std::string& name);
  /// Adds groups of a METADATA node: a list of {"pg_name": "1", "ranks": [0, 1]} between two
  /// characters at each end; without ranks: all. Throws UserError, which `where` begins, for a text
  /// that is none, and for a group that is known with other ranks.
  void AddMetadata(std::string_view values, const std::string& where);
  /// Returns the index of a group that a node names, known or not.
  std::uint32_t IndexOf(const std::string& name);

 private:
  /// Gives a group its ranks. Throws UserError, which `where` begins, if it is known with other
  /// ranks.
  void Set(const std::string& name, const std::vector<std::uint32_t>& ranks,
           const std::string& where);

  std::vector<ChakraGroup>* groups_;
  std::vector<std::uint32_t> all_;
  bool from_file_ = false;
  std::unordered_map<std::string, std::uint32_t> index_;
};

/// Name of the METADATA nodes with groups.
constexpr std::string_view kChakraGroupsNode = "## process_group:init ##";

}  // namespace heddle
