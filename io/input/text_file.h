// SPDX-License-Identifier: GPL-2.0-only
/// Text inputs held in memory and walked line by line, so that every message can name file and
/// line.
#ifndef HEDDLE_IO_INPUT_TEXT_FILE_H_
#define HEDDLE_IO_INPUT_TEXT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"

namespace heddle {

/// The bytes of a file. Throws UserError naming the file if it cannot be read.
std::string ReadTextFile(const std::string& path);

/// `text` without blanks, tabs and carriage returns at both ends.
std::string_view Trim(std::string_view text);

/// Cuts the first word (up to a blank or tab) off the front of `line`; empty if there is none.
std::string_view TakeWord(std::string_view* line);

/// `line` up to its comment, trimmed. A '#' begins one at the begin of the line or after a blank;
/// inside a word it is part of the word: file names may have one.
std::string_view WithoutComment(std::string_view line);

/// Walks over the lines of a text that it does not own; the last line needs no line end.
class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// Sets `line` to the next line, trimmed; false at the end.
  bool Next(std::string_view* line);
  /// The next line that is not blank; false at the end.
  bool NextFilled(std::string_view* line);

  /// The line that was read last (0 before the first).
  std::int64_t number() const { return number_; }
  SourceLine where() const { return {file_, number_}; }
  SourceLine whole_file() const { return {file_, 0}; }

 private:
  std::string_view rest_;
  std::string file_;
  std::int64_t number_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_TEXT_FILE_H_
