// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/host_names.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/input/text_file.h"

namespace heddle {

std::unordered_map<std::string, std::uint32_t> HostsByName(const StaticPaths& paths) {
  std::unordered_map<std::string, std::uint32_t> hosts;
  for (std::uint32_t host = 0; host < paths.host_count(); ++host)
    hosts.emplace(paths.HostName(host), host);
  return hosts;
}

std::vector<std::vector<std::uint32_t>> ParseMappings(const std::string& text,
                                                      const std::string& file,
                                                      const StaticPaths& paths,
                                                      std::uint32_t ranks) {
  const auto by_name = HostsByName(paths);
  std::vector<std::vector<std::uint32_t>> mappings;
  LineReader lines(text, file);
  for (std::string_view line; lines.Next(&line);) {
    line = line.substr(0, line.find('#'));
    std::vector<std::uint32_t> hosts;
    for (std::string_view word = TakeWord(&line); !word.empty(); word = TakeWord(&line)) {
      const auto host = by_name.find(std::string(word));
      if (host == by_name.end())
        throw UserError(fmt::format("{}:{}: '{}' is no host. Expected: names of hosts by rank",
                                    file, lines.number(), Printable(std::string(word))));
      hosts.push_back(host->second);
    }
    if (hosts.empty()) continue;
    if (hosts.size() != ranks)
      throw UserError(fmt::format("{}:{}: {} hosts. Expected: {}, one for each rank", file,
                                  lines.number(), hosts.size(), ranks));
    mappings.push_back(std::move(hosts));
  }
  if (mappings.empty())
    throw UserError(fmt::format("{}: no mapping. Expected: a line for each run", file));
  return mappings;
}

}  // namespace heddle
