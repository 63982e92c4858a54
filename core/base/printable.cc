// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/printable.h"

#include <cstddef>
#include <cstdint>

#include "core/base/check.h"

namespace heddle {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// The first character of a text that is not empty (RFC 3629: no overlong forms, no surrogates).
Character Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool IsShown(std::uint32_t code) {
  const auto within = [&](std::uint32_t low, std::uint32_t high) {
    return code >= low && code <= high;
  };
  return code >= ' ' && !within(0x7f, 0x9f) && !within(0x200b, 0x200f) && !within(0x2028, 0x202e) &&
         !within(0x2060, 0x206f) && code != 0xfeff;
}

void AppendEscape(unsigned char byte, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '\n':
      *text += "\\n";
      return;
    case '\r':
      *text += "\\r";
      return;
    case '\t':
      *text += "\\t";
      return;
    default:
      *text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
}

/// At most `longest` bytes of it, with "..." if that is not all.
std::string Escape(std::string_view text, bool keep_lines, std::size_t longest) {
  std::string shown;
  while (!text.empty()) {
    const Character next = Decode(text);
    const bool stays = (next.bytes > 0 && IsShown(next.code)) ||
                       (keep_lines && (text.front() == '\n' || text.front() == '\t'));
    const std::string_view bytes = text.substr(0, next.bytes > 0 ? next.bytes : 1);
    std::string piece;
    if (stays) piece = bytes;
    for (std::size_t i = 0; !stays && i < bytes.size(); ++i)
      AppendEscape(static_cast<unsigned char>(bytes[i]), &piece);
    if (piece.size() > longest - shown.size()) return shown + "...";
    shown += piece;
    text.remove_prefix(bytes.size());
  }
  return shown;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t longest) {
  return Escape(text, /*keep_lines=*/false, longest);
}

std::string PrintableLines(std::string_view text) {
  return Escape(text, /*keep_lines=*/true, std::string::npos);
}

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped.push_back(c);
    }
  }
  return escaped;
}

}  // namespace heddle
