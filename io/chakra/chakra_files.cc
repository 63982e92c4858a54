// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_files.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/base/check.h"
#include "io/chakra/chakra_limits.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool TakeEnd(std::string_view* text, std::string_view end) {
  if (text->size() < end.size() || text->substr(text->size() - end.size()) != end) return false;
  text->remove_suffix(end.size());
  return true;
}

/// "step", 3 of "step.3.et" and "step.3.et.gz".
struct RankName {
  std::string_view prefix;
  std::uint32_t rank = 0;
};

std::optional<RankName> RankOf(std::string_view name) {
  TakeEnd(&name, ".gz");
  if (!TakeEnd(&name, ".et")) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  RankName found{name.substr(0, dot)};
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, found.rank);
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (error != std::errc() || stop != end || leading_zero || found.rank >= kMaxChakraRanks)
    return std::nullopt;
  return found;
}

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// The path's files by rank.
std::map<std::uint32_t, std::string> ListFiles(const fs::path& prefix) {
  std::map<std::uint32_t, std::string> files;
  const fs::path folder = prefix.has_parent_path() ? prefix.parent_path() : fs::path(".");
  const std::string base = prefix.filename().string();
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::optional<RankName> rank = RankOf(name);
    if (!rank || rank->prefix != base) continue;
    const std::string path = prefix.has_parent_path() ? (folder / name).string() : name;
    const auto [other, is_new] = files.try_emplace(rank->rank, path);
    if (!is_new)
      throw UserError(fmt::format("{} and {} are of one rank. Expected: one file a rank",
                                  Printable(std::min(other->second, path), 200),
                                  Printable(std::max(other->second, path), 200)));
  }
  return files;
}

std::string Sentence(const ChakraTrace& trace, const ChakraCount& count, const std::string& one,
                     const std::string& many) {
  return fmt::format("{}: {} {}; the first is {}", trace.name, count.count,
                     count.count == 1 ? one : many, trace.PlaceOf(count.first));
}

}  // namespace

bool IsChakraPrefix(const std::string& path) {
  if (!IsFile(path)) return true;
  const FileKind kind = KindOfFile(path);
  return RankOf(path).has_value() || kind == FileKind::kChakra || kind == FileKind::kChakraGzip;
}

bool IsChakraTrace(const std::string& path) {
  if (IsFile(path)) return IsChakraPrefix(path);
  return IsFile(path + ".0.et") || IsFile(path + ".0.et.gz");
}

std::vector<std::string> FindChakraFiles(const std::string& prefix) {
  std::string from = prefix;
  if (IsFile(prefix)) {
    const std::optional<RankName> rank = RankOf(prefix);
    if (!rank) return {prefix};
    from = std::string(rank->prefix);
  }
  const std::map<std::uint32_t, std::string> files = ListFiles(from);
  const std::string name = Printable(from, from.size());
  if (files.empty())
    throw UserError(
        fmt::format("{}: there is no file {}.0.et. Expected: a file PREFIX.RANK.et for "
                    "each rank, from 0 on",
                    name, name));
  const std::uint32_t ranks = files.rbegin()->first + 1;
  std::uint32_t missing = 0;
  while (files.count(missing) > 0) ++missing;
  if (files.size() < ranks)
    throw UserError(fmt::format(
        "{}: {} of {} ranks have no file, the first is {}.{}.et. Expected: a file for each rank, "
        "from 0 on",
        name, ranks - files.size(), ranks, name, missing));
  std::vector<std::string> all;
  for (const auto& [rank, path] : files) all.push_back(path);
  return all;
}

ChakraTrace ReadChakra(const std::string& prefix, const ChakraReading& how) {
  const std::vector<std::string> files = FindChakraFiles(prefix);
  ChakraTrace trace;
  trace.name = Printable(prefix, prefix.size());
  trace.ranks.reserve(files.size());
  ChakraReader reader(&trace, static_cast<std::uint32_t>(files.size()), how.control, how.window);
  if (!how.groups.empty())
    reader.ReadGroups(ReadTextFile(how.groups), Printable(how.groups, how.groups.size()));
  for (const std::string& file : files)
    reader.ReadRank(OpenBytes(file), Printable(file, file.size()));
  return trace;
}

std::vector<std::string> WarnOfChakra(const ChakraTrace& trace) {
  const ChakraOddities& odd = trace.odd;
  std::vector<std::string> text;
  const auto add = [&](const ChakraCount& count, const std::string& one, const std::string& many) {
    if (count.count > 0) text.push_back(Sentence(trace, count, one, many));
  };
  add(odd.missing_data, "data dependency is on a node that is not there, and counts as satisfied",
      "data dependencies are on nodes that are not there, and count as satisfied");
  add(odd.missing_control,
      "control dependency is on a node that is not there, and counts as satisfied",
      "control dependencies are on nodes that are not there, and count as satisfied");
  add(odd.on_itself, "node depends on itself, which counts as satisfied",
      "nodes depend on themselves, which counts as satisfied");
  add(odd.converted, "integer is given as a text or a floating number",
      "integers are given as texts or floating numbers");
  add(odd.cpu_collectives, "communication is the CPU's side of one, and counts as computing",
      "communications are the CPU's side of others, and count as computing");
  for (const auto& [type, count] : odd.unknown_types) {
    add(count, fmt::format("node has the unknown type {}, and takes no time", type),
        fmt::format("nodes have the unknown type {}, and take no time", type));
  }
  return text;
}

}  // namespace heddle
