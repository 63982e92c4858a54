// SPDX-License-Identifier: GPL-2.0-only
/// Reads the files of a trace, one rank after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/chakra/chakra_trace.h"
#include "io/chakra/byte_source.h"
#include "io/chakra/chakra_groups.h"

namespace heddle {

/// How a trace is read.
struct ChakraReading {
  std::string groups;   ///< file of groups; empty: what the trace says of them counts
  bool control = true;  ///< control dependencies count as data dependencies do; false: not at all
  /// Nodes that stay in memory; of a longer trace none do, but one rank at a time. 0: all do.
  std::uint64_t window = 0;
};

/// Memory grows with what is kept of the nodes, not with the files.
class ChakraReader {
 public:
  /// `trace` is empty, and must outlive it. `ranks`: how many files will be read, > 0.
  /// `control`, `window`: ChakraReading's.
  ChakraReader(ChakraTrace* trace, std::uint32_t ranks, bool control, std::uint64_t window = 0);

  /// Reads the file of groups, before the first rank. Throws UserError; `name` is the file's.
  void ReadGroups(std::string_view text, const std::string& name) { groups_.AddFile(text, name); }
  /// Reads the next rank, plain or packed by gzip. `name`: the file's, for messages. Throws
  /// UserError for what is no trace, for values out of range, and as ChakraRankBuilder::Take().
  void ReadRank(std::unique_ptr<ByteSource> bytes, const std::string& name);

 private:
  /// Moves all ranks to the trace's store once they have more nodes than the window. Throws Error
  /// of code 6.
  void Spill();
  /// Returns the name's index in the trace's `names`; adds a new one.
  std::uint32_t NameOf(const std::string& name);

  ChakraTrace& trace_;
  bool control_;
  std::uint64_t nodes_ = 0;  ///< so far
  ChakraGroups groups_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

/// Reads a trace of one rank in memory. Errors as ChakraReader's.
ChakraTrace ParseChakra(std::string_view bytes, const std::string& name);

}  // namespace heddle
