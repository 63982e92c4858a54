// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/foreign_kind.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace heddle {
namespace {

using namespace std::string_view_literals;

bool Begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool Ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsDigits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view WithoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// The next line without blanks at its ends; `text` loses it.
std::string_view TakeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(text->size(), line.size() + 1));
  return WithoutBlanks(line);
}

/// A protobuf integer of 7 bits a byte, the lowest first; `text` loses it. None if it is longer
/// than 64 bits or not complete.
std::optional<std::uint64_t> TakeVarint(std::string_view* text) {
  std::uint64_t number = 0;
  for (unsigned bits = 0; bits < 64 && !text->empty(); bits += 7) {
    const auto byte = static_cast<unsigned char>(text->front());
    text->remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7fU) << bits;
    if (byte < 0x80U) return number;
  }
  return std::nullopt;
}

/// Whether a message is Chakra's GlobalMetadata: a version (field 1), attributes (field 2), both
/// of a length, and nothing else.
bool IsChakraMetadata(std::string_view message) {
  if (message.empty()) return false;
  while (!message.empty()) {
    const char tag = message.front();
    if (tag != '\x0a' && tag != '\x12') return false;
    message.remove_prefix(1);
    const std::optional<std::uint64_t> length = TakeVarint(&message);
    if (!length || *length > message.size()) return false;
    message.remove_prefix(static_cast<std::size_t>(*length));
  }
  return true;
}

/// A sequence of messages with their lengths before them: GlobalMetadata, then nodes, whose first
/// field is an id (1), a name (2) or a type (3). Their tags are no characters of texts.
bool IsChakra(std::string_view text) {
  const std::optional<std::uint64_t> length = TakeVarint(&text);
  if (!length || *length > text.size()) return false;
  const auto size = static_cast<std::size_t>(*length);
  if (!IsChakraMetadata(text.substr(0, size))) return false;
  text.remove_prefix(size);
  return TakeVarint(&text) && !text.empty() && Contains("\x08\x12\x18"sv, text.substr(0, 1));
}

/// The name of the first element of an XML text; empty if it is none.
std::string_view FirstElement(std::string_view text) {
  while (true) {
    text = WithoutBlanks(text);
    const bool comment = Begins(text, "<!--");
    if (!comment && !Begins(text, "<?") && !Begins(text, "<!")) break;
    const std::string_view closing = comment ? "-->"sv : ">"sv;
    const std::size_t end = text.find(closing);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + closing.size());
  }
  if (!Begins(text, "<")) return {};
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

FileKind XmlKind(std::string_view text) {
  constexpr std::pair<std::string_view, FileKind> kElements[] = {
      {"algo", FileKind::kMsccl},
      {"system", FileKind::kNcclTopology},
      {"graphs", FileKind::kNcclGraph},
      {"topology", FileKind::kLstopo}};
  const std::string_view element = FirstElement(text);
  for (const auto& [name, kind] : kElements) {
    if (element == name) return kind;
  }
  return FileKind::kUnknown;
}

/// A key of JSON between quotes, or of YAML before a colon.
bool HasField(std::string_view text, const std::string& key) {
  return Contains(text, '"' + key + '"') || Contains(text, key + ":");
}

/// InfraGraph in YAML or JSON: devices with their instances, or edges between two end points.
bool IsInfraGraph(std::string_view text) {
  const bool edges = HasField(text, "ep1") && HasField(text, "ep2");
  const bool devices = HasField(text, "devices") && HasField(text, "instances");
  return edges || (devices && (HasField(text, "components") || HasField(text, "edges")));
}

FileKind JsonKind(std::string_view text) {
  const bool schema = Contains(text, "\"schema\"");
  const bool depends = Contains(text, "\"ctrl_deps\"") || Contains(text, "\"data_deps\"") ||
                       Contains(text, "\"ctrlDeps\"") || Contains(text, "\"dataDeps\"");
  if (depends || (schema && (Contains(text, "chakra") || Contains(text, "\"nodes\""))))
    return FileKind::kChakraJson;
  const bool profiler = Contains(text, "\"schemaVersion\"") ||
                        Contains(text, "\"deviceProperties\"") ||
                        Contains(text, "\"distributedInfo\"");
  if (profiler) return FileKind::kKineto;
  if (Contains(text, "\"traceEvents\"")) return FileKind::kTimeline;
  return IsInfraGraph(text) ? FileKind::kInfraGraph : FileKind::kUnknown;
}

/// "0->13", as htsim's connections begin.
bool IsConnection(std::string_view word) {
  const std::size_t arrow = word.find("->");
  return arrow != std::string_view::npos && IsDigits(word.substr(0, arrow)) &&
         IsDigits(word.substr(arrow + 2));
}

/// htsim's files begin with lines of a key and a number: "Nodes 16", then "Tiers 2" or
/// "Connections 3". Keys of topologies may have small letters.
FileKind HtsimKind(std::string_view text) {
  bool nodes = false, connections = false, tiers = false;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (line.empty() || line.front() == '#') continue;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const std::string_view value = WithoutBlanks(line.substr(word.size()));
    if (IsConnection(word)) return FileKind::kHtsimFlows;
    if (!IsDigits(value)) break;
    const std::string key = Lower(word);
    nodes = nodes || key == "nodes";
    connections = connections || key == "connections";
    tiers = tiers || key == "tiers" || key == "podsize";
    if (nodes && connections) return FileKind::kHtsimFlows;
    if (nodes && tiers) return FileKind::kHtsimTopology;
  }
  return FileKind::kUnknown;
}

/// "num_ranks 4" after comments of C.
bool IsGoal(std::string_view text) {
  while (true) {
    text = WithoutBlanks(text);
    const bool line = Begins(text, "//");
    if (!line && !Begins(text, "/*")) break;
    const std::size_t end = text.find(line ? "\n"sv : "*/"sv);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + (line ? 1 : 2));
  }
  const std::string_view line = TakeLine(&text);
  constexpr std::string_view kWord = "num_ranks";
  return Begins(line, kWord) && IsDigits(WithoutBlanks(line.substr(kWord.size())));
}

/// Lines with a beginning of their own: Slurm's switches, the head of nccl-tests' output.
FileKind LineKind(std::string_view text) {
  while (!text.empty()) {
    const std::string line = Lower(TakeLine(&text).substr(0, 80));
    if (Begins(line, "switchname=") || Begins(line, "blockname=")) return FileKind::kSlurmTopology;
    if (Begins(line, "# nthread ") || Begins(line, "# nccl-tests version"))
      return FileKind::kNcclTests;
  }
  return FileKind::kUnknown;
}

/// The name that a gzip header may have of what was compressed; empty if it has none.
std::string_view NameInGzip(std::string_view text) {
  constexpr std::size_t kHeader = 10;
  constexpr unsigned kExtraField = 4, kName = 8;
  if (text.size() <= kHeader) return {};
  const auto flags = static_cast<unsigned char>(text[3]);
  if ((flags & kName) == 0 || (flags & kExtraField) != 0) return {};
  text.remove_prefix(kHeader);
  const std::size_t end = text.find('\0');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

/// Spreadsheets are archives with names of their own.
FileKind ZipKind(std::string_view beginning) {
  for (const char* name : {"[Content_Types].xml", "xl/w", "application/vnd.oasis.opendocument"}) {
    if (Contains(beginning, name)) return FileKind::kSpreadsheet;
  }
  return FileKind::kZip;
}

/// What each kind is, and what heddle can do with it.
constexpr std::pair<FileKind, const char*> kDescriptions[] = {
    {FileKind::kChakra,
     "an execution trace of Chakra: heddle run --chakra PREFIX, heddle trace show PREFIX"},
    {FileKind::kChakraGzip,
     "an execution trace of Chakra, compressed with gzip: heddle run --chakra PREFIX, heddle trace "
     "show PREFIX"},
    {FileKind::kChakraJson,
     "an execution trace of PyTorch or Chakra in JSON: heddle does not read it yet"},
    {FileKind::kKineto, "a trace of PyTorch's profiler: heddle does not read it yet"},
    {FileKind::kTimeline,
     "a timeline for Perfetto, as heddle export --perfetto writes it: heddle does not read it"},
    {FileKind::kGoal, "a schedule in GOAL: heddle run --goal FILE, heddle trace show FILE"},
    {FileKind::kGoalBinary,
     "a binary schedule of GOAL: heddle run --goal FILE, heddle trace show FILE"},
    {FileKind::kHtsimFlows, "a connection matrix of htsim: heddle run --flows FILE"},
    {FileKind::kHtsimTopology, "a topology of htsim: heddle run -n FILE"},
    {FileKind::kMsccl, "an algorithm of MSCCL: heddle run --set algorithm.OPERATION=file:FILE"},
    {FileKind::kNcclTopology, "a server's topology of NCCL: heddle run -n FILE"},
    {FileKind::kNcclGraph, "a graph of NCCL's channels: heddle does not read it yet"},
    {FileKind::kNcclTests,
     "a log of nccl-tests: heddle calibrate FILE, heddle bench --measured FILE"},
    {FileKind::kLstopo, "a machine's topology of hwloc (lstopo): heddle does not read it yet"},
    {FileKind::kSlurmTopology, "a topology.conf of Slurm: heddle does not read it yet"},
    {FileKind::kInfraGraph, "an infrastructure of InfraGraph: heddle run -n FILE"},
    {FileKind::kGzip, "a file compressed with gzip: unpack it with gunzip"},
    {FileKind::kZip, "a zip archive: unpack it with unzip"}};

}  // namespace

const char* DescribeForeign(FileKind kind) {
  for (const auto& [known, description] : kDescriptions) {
    if (known == kind) return description;
  }
  return "";
}

FileKind ForeignBinaryKind(std::string_view beginning) {
  if (Begins(beginning, "\x1f\x8b")) return GzipKind(beginning, {});
  if (Begins(beginning, "PK\x03\x04")) return ZipKind(beginning);
  for (const std::string_view goal : {"\x7f\x10\0\0\0\0\0\0"sv, "\x26\x09\0\0\0\0\0\0"sv}) {
    if (Begins(beginning, goal)) return FileKind::kGoalBinary;
  }
  return IsChakra(beginning) ? FileKind::kChakra : FileKind::kUnknown;
}

FileKind ForeignTextKind(std::string_view beginning) {
  const std::string_view text = WithoutBlanks(beginning);
  if (Begins(text, "<")) return XmlKind(text);
  if (Begins(text, "{") || Begins(text, "[")) return JsonKind(text);
  if (IsGoal(text)) return FileKind::kGoal;
  if (const FileKind kind = HtsimKind(text); kind != FileKind::kUnknown) return kind;
  if (const FileKind kind = LineKind(text); kind != FileKind::kUnknown) return kind;
  return IsInfraGraph(text) ? FileKind::kInfraGraph : FileKind::kUnknown;
}

FileKind GzipKind(std::string_view beginning, std::string_view path) {
  const bool chakra =
      Ends(NameInGzip(beginning), ".et") || Ends(path, ".et") || Ends(path, ".et.gz");
  return chakra ? FileKind::kChakraGzip : FileKind::kGzip;
}

}  // namespace heddle
