// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/dot_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Returns the end of the quoted text that begins at `begin`; a backslash takes the character after
/// it.
std::size_t EndOfQuoted(const std::string& text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.size();
}

/// The end of the HTML text that begins at `begin`, others within it included.
std::size_t EndOfHtml(const std::string& text, std::size_t begin) {
  std::size_t open = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '<') ++open;
    if (text[at] == '>' && --open == 0) return at + 1;
  }
  return text.size();
}

std::size_t EndOfToken(const std::string& text, std::size_t begin) {
  if (text[begin] == '"') return EndOfQuoted(text, begin);
  if (text[begin] == '<') return EndOfHtml(text, begin);
  const std::size_t end = text.find_first_of(" \t\r\n\"<>;,=[]{}", begin + 1);
  return std::min(end, text.size());
}

}  // namespace

void CheckDotTokens(const std::string& text, const std::string& name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = EndOfToken(text, at);
    if (end - at > kMostDotToken) {
      const auto line =
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      FailInput({name, line + 1}, fmt::format("a text or name of {} bytes", end - at),
                fmt::format("at most {}", kMostDotToken));
    }
    at = end;
  }
}

}  // namespace heddle
