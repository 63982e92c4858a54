// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/options/token_reader.h"
#include "io/input/foreign_kind.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kBeginning = 4096;

bool BeginsWith(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// Kinds that their first bytes prove.
FileKind BySignature(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, FileKind> kSignatures[] = {
      {"\x89HDF\r\n\x1a\n"sv, FileKind::kResult},
      {"# heddle calibration"sv, FileKind::kCalibration},
      {"\xd0\xcf\x11\xe0"sv, FileKind::kSpreadsheet},
      {"\xff\xfe"sv, FileKind::kWideText},
      {"\xfe\xff"sv, FileKind::kWideText},
      {"<!DOCTYPE html"sv, FileKind::kPage},
      {"<!doctype html"sv, FileKind::kPage},
      {"<html"sv, FileKind::kPage}};
  for (const auto& [signature, kind] : kSignatures) {
    if (BeginsWith(text, signature)) return kind;
  }
  return ForeignBinaryKind(text);
}

bool IsNumber(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

/// Letters without small ones, digits and underscores: a key of SimAI.conf, an operation, a policy.
bool IsCapital(const std::string& word) {
  return !word.empty() &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos &&
         !IsNumber(word);
}

Words WordsOf(std::string_view line) {
  std::istringstream in{std::string(line)};
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The first two lines that are neither empty nor comments, in words.
std::pair<Words, Words> FirstLines(std::string_view text) {
  Words found[2];
  std::size_t count = 0;
  while (!text.empty() && count < 2) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Words words = WordsOf(line);
    if (!words.empty() && words[0][0] != '#') found[count++] = std::move(words);
  }
  return {found[0], found[1]};
}

bool IsTopology(const Words& head, const Words& ids) {
  const std::size_t counts = head.size() == 6 ? 5 : head.size() == 3 ? 3 : 0;
  return counts > 0 &&
         std::all_of(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(counts), IsNumber) &&
         !ids.empty() && std::all_of(ids.begin(), ids.end(), IsNumber);
}

bool IsWorkload(const Words& head) {
  for (const char* policy : {"MICRO", "DATA", "MODEL", "DISTRIBUTED_INFERENCE"}) {
    if (head[0] == policy) return true;
  }
  return BeginsWith(head[0], "HYBRID_") ||
         (head.size() >= 3 && IsNumber(head[0]) && IsCapital(head[1]) && IsNumber(head[2]));
}

/// "0,0,8,1048576", perhaps with blanks after the commas.
bool IsTrace(const Words& head) {
  std::string line;
  for (const std::string& word : head) line += word;
  return BeginsWith(line, "timestamp_ns,") ||
         (std::count(line.begin(), line.end(), ',') == 3 &&
          line.find_first_not_of("0123456789.e+-,") == std::string::npos);
}

bool IsFailures(const Words& head) {
  for (const char* part : {"time,event,", ",link_down,", ",link_up,", ",link_rate,", ",node_"}) {
    if (head[0].find(part) != std::string::npos) return true;
  }
  return false;
}

/// "digraph {", "strict digraph net", ...; DOT has comments of C as well.
bool IsDot(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool line = BeginsWith(text, "//") || BeginsWith(text, "#");
    if (!line && !BeginsWith(text, "/*")) break;
    const std::size_t end = text.find(line ? "\n" : "*/");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (line ? 1 : 2));
  }
  for (const std::string_view word : {"strict", "digraph", "graph"}) {
    if (!BeginsWith(text, word)) continue;
    const std::string_view rest = text.substr(word.size());
    if (rest.empty() || rest[0] == '{' || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' ||
        rest[0] == '\r')
      return true;
  }
  return false;
}

/// "vendid=0x2c9", "Switch 8 ...", or "CA 24 1 0x...." of ibnetdiscover -p.
bool IsInfiniband(const Words& head) {
  const std::string& word = head[0];
  if (BeginsWith(word, "vendid=0x") || BeginsWith(word, "sysimgguid=0x")) return true;
  const bool of_block = word == "Switch" || word == "Ca" || word == "Rt" || word == "Hca";
  if (of_block) return head.size() >= 3 && head[2].size() > 2 && head[2][0] == '"';
  const bool of_port = word == "CA" || word == "SW" || word == "RT";
  return of_port && head.size() >= 4 && IsNumber(head[1]) && BeginsWith(head[3], "0x");
}

/// "osm_ucast_mgr_dump_ucast_routes: Switch 0x...", or "Unicast lids [0x0-0x1] of switch ...".
bool IsDump(const Words& head) {
  const std::string& word = head[0];
  if (BeginsWith(word, "osm_ucast_mgr") || BeginsWith(word, "dump_ucast_routes")) return true;
  return word == "Unicast" && head.size() >= 2 && head[1] == "lids";
}

/// Whether a line is `KEY: value`, blanks before the colon allowed, with one of these keys.
template <std::size_t kCount>
bool HasKey(const Words& line, const std::string_view (&keys)[kCount]) {
  const std::string_view word = line[0];
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos && (line.size() < 2 || line[1][0] != ':')) return false;
  return std::find(std::begin(keys), std::end(keys), word.substr(0, colon)) != std::end(keys);
}

/// "num-npus: 8", or another key of ASTRA-SIM's network files (io/astra/astra_network.cc,
/// io/astra/astra2_network.cc).
bool IsScaleUp(const Words& head) {
  constexpr std::string_view kKeys[] = {"num-npus",
                                        "num-packages",
                                        "package-rows",
                                        "topology",
                                        "local-rings",
                                        "vertical-rings",
                                        "horizontal-rings",
                                        "links-per-tile",
                                        "flit-width",
                                        "local-packet-size",
                                        "package-packet-size",
                                        "tile-link-width",
                                        "package-link-width",
                                        "vcs-per-vnet",
                                        "routing-algorithm",
                                        "router-latency",
                                        "local-link-latency",
                                        "package-link-latency",
                                        "buffers-per-vc",
                                        "local-link-efficiency",
                                        "package-link-efficiency",
                                        "npus_count",
                                        "bandwidth",
                                        "latency"};
  return HasKey(head, kKeys);
}

/// "scheduling-policy: LIFO", or another key of ASTRA-SIM's system files
/// (io/astra/astra_system.cc).
bool IsSystem(const Words& head) {
  constexpr std::string_view kKeys[] = {"scheduling-policy",
                                        "endpoint-delay",
                                        "packet-routing",
                                        "injection-policy",
                                        "preferred-dataset-splits",
                                        "boost-mode",
                                        "collective-implementation",
                                        "collective-optimization",
                                        "L",
                                        "o",
                                        "g",
                                        "G",
                                        "model-shared-bus",
                                        "local-reduction-delay"};
  return HasKey(head, kKeys);
}

/// A key of ASTRA-sim 2's system.json (io/astra/astra2_system.cc).
bool IsJsonSystem(std::string_view text) {
  for (const char* key : {"\"scheduling-policy\"", "\"endpoint-delay\"", "-implementation\"",
                          "\"collective-optimization\"", "\"preferred-dataset-splits\"",
                          "\"active-chunks-per-dimension\"", "\"local-mem-bw\""}) {
    if (text.find(key) != std::string_view::npos) return true;
  }
  return false;
}

FileKind ByLines(std::string_view text) {
  if (IsDot(text)) return FileKind::kDot;
  const auto [head, next] = FirstLines(text);
  if (head.empty()) return FileKind::kUnknown;
  if (IsInfiniband(head)) return FileKind::kInfiniband;
  if (head[0] == "heddle-tables") return FileKind::kTables;
  if (IsDump(head)) return FileKind::kDump;
  if (IsScaleUp(head[0] == "---" && !next.empty() ? next : head)) return FileKind::kScaleUp;
  if (IsSystem(head)) return FileKind::kSystem;
  if (IsTopology(head, next)) return FileKind::kTopology;
  if (IsWorkload(head)) return FileKind::kWorkload;
  if (IsTrace(head)) return FileKind::kTrace;
  if (IsFailures(head)) return FileKind::kFailures;
  if (head.size() == 1 && IsNumber(head[0]) && next.size() == 6) return FileKind::kFlows;
  if (head.size() >= 2 && IsCapital(head[0])) return FileKind::kConfiguration;
  return FileKind::kUnknown;
}

/// What it is, and where it belongs.
const char* Describe(FileKind kind) {
  switch (kind) {
    case FileKind::kUnknown:
      return "";
    case FileKind::kTopology:
      return "a topology: heddle run -n FILE";
    case FileKind::kScaleUp:
      return "a network of ASTRA-SIM: heddle run --astra-network FILE";
    case FileKind::kSystem:
      return "a system file of ASTRA-SIM: heddle run --astra-system FILE";
    case FileKind::kInfiniband:
      return "a network of ibnetdiscover: heddle congestion FILE --tables DUMP";
    case FileKind::kTables:
      return "forwarding tables: heddle congestion TOPOLOGY --tables FILE, heddle run -n TOPOLOGY "
             "--tables FILE";
    case FileKind::kDump:
      return "a subnet manager's forwarding tables, which are read beside their network: heddle "
             "congestion IBNETDISCOVER --tables FILE";
    case FileKind::kDot:
      return "a network in DOT: heddle congestion FILE, heddle run -n FILE";
    case FileKind::kWorkload:
      return "a workload: heddle run -w FILE";
    case FileKind::kTrace:
      return "a trace: heddle run --trace FILE";
    case FileKind::kFlows:
      return "flows in HPCC's format: heddle run --flows FILE";
    case FileKind::kFailures:
      return "failures: heddle run --failures FILE";
    case FileKind::kConfiguration:
      return "a SimAI.conf: heddle run -c FILE";
    case FileKind::kCalibration:
      return "a calibration: heddle run --backend analytical --calibration FILE";
    case FileKind::kProfile:
      return "a profile: heddle partition --predict FILE";
    case FileKind::kSweep:
      return "a table of runs: heddle sweep FILE";
    case FileKind::kResult:
      return "a result of heddle run: heddle report FILE, heddle export FILE";
    case FileKind::kPage:
      return "an HTML page";
    case FileKind::kSpreadsheet:
      return "a spreadsheet: save it as CSV";
    case FileKind::kWideText:
      return "text in UTF-16: save it as UTF-8";
    default:
      return DescribeForeign(kind);
  }
}

/// Whether a file is no text: a zero byte shows it, or its kind.
bool IsBinary(std::string_view beginning) {
  constexpr FileKind kKinds[] = {FileKind::kChakra, FileKind::kChakraGzip, FileKind::kGzip,
                                 FileKind::kZip};
  return beginning.find('\0') != std::string_view::npos ||
         std::find(std::begin(kKinds), std::end(kKinds), KindOf(beginning)) != std::end(kKinds);
}

/// The first kilobytes of a plain file; empty if it cannot be read.
std::string BeginningOf(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text(kBeginning, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

}  // namespace

FileKind KindOf(std::string_view beginning) {
  if (const FileKind kind = BySignature(beginning); kind != FileKind::kUnknown) return kind;
  beginning = WithoutByteOrderMark(beginning);
  if (beginning.find('\0') != std::string_view::npos) return FileKind::kUnknown;
  const std::size_t first = std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size());
  const bool json = BeginsWith(beginning.substr(first), "{");
  if (json && beginning.find("\"heddle profile\"") != std::string_view::npos)
    return FileKind::kProfile;
  if (json && IsJsonSystem(beginning)) return FileKind::kSystem;
  if (!json) {
    for (const char* table : {"[run]", "[vary]"}) {
      if (beginning.find(table) != std::string_view::npos) return FileKind::kSweep;
    }
  }
  if (const FileKind kind = ForeignTextKind(beginning); kind != FileKind::kUnknown) return kind;
  return json ? FileKind::kUnknown : ByLines(beginning);
}

FileKind KindOfFile(const std::string& path) {
  const std::string text = BeginningOf(path);
  const FileKind kind = KindOf(text);
  return kind == FileKind::kGzip ? GzipKind(text, path) : kind;
}

std::string LooksLike(const std::string& path, FileKind expected) {
  const FileKind kind = KindOfFile(path);
  if (kind == FileKind::kUnknown || kind == expected) return "";
  return std::string(" (it looks like ") + Describe(kind) + ")";
}

std::string WithKind(const std::string& message, const std::string& path, FileKind expected) {
  const std::string looks = LooksLike(path, expected);
  const std::size_t hint = message.find(". Expected: ");
  const bool about_file = message.compare(0, path.size() + 1, path + ":") == 0;
  if (!about_file || hint == std::string::npos || !IsBinary(BeginningOf(path)))
    return message + looks;
  return path + ": not plain text" + message.substr(hint) + looks;
}

}  // namespace heddle
