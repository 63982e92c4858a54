// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/nccl_names.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace heddle {

std::string PlainOperation(std::string_view name) {
  constexpr std::string_view kProgram = "_perf";
  if (name.size() > kProgram.size() && name.substr(name.size() - kProgram.size()) == kProgram)
    name.remove_suffix(kProgram.size());
  std::string plain;
  for (const char letter : name) {
    if (letter != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return plain;
}

Bytes ParseBufferSize(std::string_view text) {
  const bool number_before =
      text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[text.size() - 2])) != 0;
  const char unit = number_before ? text.back() : '\0';
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit)));
  if (letter != 'K' && letter != 'M' && letter != 'G') return ParseBytes(text);
  return ParseBytes(fmt::format("{}{}iB", text.substr(0, text.size() - 1), letter));
}

std::string ExactSize(Bytes size) {
  const std::pair<int, const char*> units[] = {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : units) {
    if (size.count > 0 && size.count % (std::int64_t{1} << shift) == 0)
      return fmt::format("{} {}", size.count >> shift, unit);
  }
  return fmt::format("{} B", size.count);
}

}  // namespace heddle
