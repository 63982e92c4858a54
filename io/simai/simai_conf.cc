// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/simai_conf.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"

namespace heddle {

void ParseSimaiConf(std::string_view text, const std::string& name, OptionSet* options) {
  LineReader lines(text, name);
  std::map<std::string, std::int64_t, std::less<>> given;
  std::string_view line;
  while (lines.Next(&line)) {
    line = WithoutComment(line);
    const std::string_view key = TakeWord(&line);
    if (key.empty()) continue;
    const std::string_view value = Trim(line);
    if (options->Knows(key) && value.empty()) {
      FailInput(lines.where(), fmt::format("key {} has no value", key), "KEY value");
    }
    const auto [earlier, first_time] = given.emplace(key, lines.number());
    if (!first_time) {
      FailInput(
          lines.where(),
          fmt::format("key {} was already given on line {}", Quote(key), earlier->second),
          fmt::format("each key once; remove line {} or line {}", earlier->second, lines.number()));
    }
    options->Set(key, value, lines.where());
  }
}

void ReadSimaiConf(const std::string& path, OptionSet* options) {
  ReadAs(FileKind::kConfiguration, path,
         [&] { ParseSimaiConf(ReadTextFile(path), path, options); });
}

}  // namespace heddle
