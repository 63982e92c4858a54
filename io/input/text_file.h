// SPDX-License-Identifier: GPL-2.0-only
/// Text inputs in memory, read line by line, so that every message can name file and line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {

/// Reads the bytes of a file. Throws UserError with the file's name if it cannot be read.
std::string ReadTextFile(const std::string& path);

/// `text` without leading and trailing blanks, tabs and carriage returns.
std::string_view Trim(std::string_view text);

/// Removes the first word (up to a blank or tab) from the front of `line` and returns it; empty if
/// there is none.
std::string_view TakeWord(std::string_view* line);

/// `line` up to its comment, trimmed. A '#' starts a comment at the beginning of the line or after
/// a blank; within a word it belongs to the word, because file names may contain it.
std::string_view WithoutComment(std::string_view line);

/// Iterates over the lines of a text that it does not own; the last line needs no line end. Skips
/// a byte-order mark.
class LineReader {
 public:
  /// `file`: its name, for messages.
  LineReader(std::string_view text, std::string file)
      : rest_(WithoutByteOrderMark(text)), file_(std::move(file)) {}

  /// Sets `line` to the next line, trimmed; false at the end.
  bool Next(std::string_view* line);
  /// Sets `line` to the next line that is not blank; false at the end.
  bool NextFilled(std::string_view* line);

  /// Returns the number of the line that was read last (0 before the first).
  std::int64_t number() const { return number_; }
  SourceLine where() const { return {file_, number_}; }  ///< of the line that was read last
  SourceLine whole_file() const { return {file_, 0}; }   ///< without a line, for messages

 private:
  std::string_view rest_;
  std::string file_;
  std::int64_t number_ = 0;
};

}  // namespace heddle
