// SPDX-License-Identifier: GPL-2.0-only
#include "io/toml/toml_check.h"

#include <cstdint>

#include "core/base/check.h"

namespace heddle {

void CheckTomlLetters(std::string_view text, const std::string& path) {
  const bool long_strings = text.find("\"\"\"") != text.npos || text.find("'''") != text.npos;
  std::int64_t line = 1;
  char quote = 0;      // open quote of a string, or '#' in a comment
  bool word = false;   // inside a bare word, in which a quote begins no string
  bool value = false;  // after the line's first =
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      quote = 0;
      word = value = false;
    } else if ((c & 0x80) != 0) {
      const std::string_view letter = text.substr(i, 3);
      const bool breaks =
          letter.substr(0, 2) == "\xc2\x85" || letter == "\xe2\x80\xa8" || letter == "\xe2\x80\xa9";
      if (quote == 0 || long_strings || breaks) {
        FailInput({path, line}, "a letter beyond ASCII",
                  "these in comments and strings of one line only, if there are no longer ones");
      }
    } else if (quote == 0) {
      if (c == '#' || (!word && (c == '"' || c == '\''))) quote = c;
      const bool parts = c == ' ' || c == '\t' || c == ',' || (c == '=' && !value);
      if (c == '=') value = true;
      word = !parts && (word || (c != '[' && c != '{'));
    } else if (quote == '"' && c == '\\') {
      if (i + 1 < text.size() && text[i + 1] != '\n' && (text[i + 1] & 0x80) == 0) ++i;
    } else if (c == quote && c != '#') {
      quote = 0;
    }
  }
}

}  // namespace heddle
