// SPDX-License-Identifier: GPL-2.0-only
/// Lines of a GOAL text without its comments, and the words of a line. A part of the text is in
/// memory at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/goal/goal_bytes.h"
#include "io/input/text_file.h"

namespace heddle {

/// Comments are those of C++: to the end of a line, or between slash and star, over lines too.
class GoalLines {
 public:
  /// `bytes` must outlive it. `part`: bytes that are read at a time, > 0.
  explicit GoalLines(GoalBytes* bytes, std::size_t part = kPart) : bytes_(*bytes), part_(part) {}

  /// Sets `line` to the next line that is not blank; false at the end. The view holds until the
  /// next call. Throws UserError if a comment does not end.
  bool Next(std::string_view* line);
  SourceLine where() const { return {bytes_.name(), number_}; }  ///< of the last line
  SourceLine whole_file() const { return {bytes_.name(), 0}; }   ///< without a line
  std::int64_t number() const { return number_; }                ///< of the last line, from 1

 private:
  static constexpr std::size_t kPart = std::size_t{1} << 20;

  /// Sets `line` to the next line, trimmed; false at the end.
  bool NextRaw(std::string_view* line);
  /// Reads the next part behind what is left of the last one; false at the end.
  bool ReadPart();
  /// Returns the line without comments; may end within one.
  std::string_view WithoutComments(std::string_view line);

  GoalBytes& bytes_;
  std::size_t part_;
  std::uint64_t read_ = 0;  ///< bytes so far
  std::string held_;        ///< a line that is in two parts, and what follows; unless in memory
  std::string_view rest_;   ///< of the part that was read last
  std::int64_t number_ = 0;
  std::string kept_;          ///< of a line with comments
  std::int64_t comment_ = 0;  ///< line where the open comment began; 0: none is open
};

/// Takes the first word from the front of `line`; empty at its end. Words end at blanks; a colon
/// and a brace are words of their own.
std::string_view TakeGoalWord(std::string_view* line);

}  // namespace heddle
