// SPDX-License-Identifier: GPL-2.0-only
/// Lines of a GOAL text without its comments, and the words of a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/input/text_file.h"

namespace heddle {

/// Iterates over a text that it does not own. Comments are those of C++: to the end of a line, or
/// between slash and star, over lines too.
class GoalLines {
 public:
  /// `file`: its name, for messages.
  GoalLines(std::string_view text, const std::string& file) : lines_(text, file) {}

  /// Sets `line` to the next line that is not blank; false at the end. The view holds until the
  /// next call. Throws UserError if a comment does not end.
  bool Next(std::string_view* line);
  SourceLine where() const { return lines_.where(); }            ///< of the last line, for messages
  SourceLine whole_file() const { return lines_.whole_file(); }  ///< without a line
  std::int64_t number() const { return lines_.number(); }        ///< of the last line, from 1

 private:
  /// Returns the line without comments; may end within one.
  std::string_view WithoutComments(std::string_view line);

  LineReader lines_;
  std::string kept_;          ///< of a line with comments
  std::int64_t comment_ = 0;  ///< line where the open comment began; 0: none is open
};

/// Takes the first word from the front of `line`; empty at its end. Words end at blanks; a colon
/// and a brace are words of their own.
std::string_view TakeGoalWord(std::string_view* line);

}  // namespace heddle
