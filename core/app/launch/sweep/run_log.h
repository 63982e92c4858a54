// SPDX-License-Identifier: GPL-2.0-only
/// What a run said in its log: how long it expected to take, how far it was, why it failed, and of
/// what it warned.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace heddle {

struct RunLog {
  /// The first line "heddle: REASON", without its beginning. Empty if there is none.
  std::string reason;
  std::string last_line;  ///< that has letters, such as the launcher's; may be empty
  std::string expected;   ///< "1.9 G packet-hops, 2.7 G events, about 6 min, 513 MiB of memory"
  std::string progress;   ///< the last line "t=12.345 ms (41.2%)  3.1 M events/s  ..."
  std::vector<std::string> warnings;  ///< of "heddle: warning: ..."; distinct, in their order
};

/// Logs are continued by each attempt, whose part begins with a line "$ COMMAND". Reads the last.
RunLog ReadRunLog(std::istream& lines);
/// Reads the same of a file. What cannot be read is empty.
RunLog ReadRunLog(const std::string& path);

/// Returns the line with which an attempt's part of a log begins.
std::string AttemptLine(const std::string& command);

/// Distinct warnings of several runs, in the order in which they were first seen.
class WarningCount {
 public:
  /// Counts the distinct warnings of one run.
  void Add(const std::vector<std::string>& warnings);
  /// Returns a line for each, such as "warning (2 of 3 runs)"; without the number if there was one
  /// run. The last line says how many are left out. `runs`: all that ended.
  std::vector<std::string> Lines(std::size_t runs) const;

 private:
  struct Seen {
    std::string warning;
    std::size_t runs = 0;
  };
  std::vector<Seen> seen_;
  std::size_t others_ =
      0;  // runs' warnings that are not in `seen_`, which has at most kMostWarnings
};

}  // namespace heddle
