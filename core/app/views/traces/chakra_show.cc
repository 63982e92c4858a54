// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/traces/chakra_show.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"
#include "core/chakra/chakra_order.h"
#include "core/chakra/chakra_trace.h"
#include "core/options/quantity_text.h"
#include "io/chakra/chakra_files.h"
#include "io/chakra/chakra_summary.h"
#include "io/nccl_log/nccl_files.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kChakraShowSchema = 1;
enum class Format : std::uint8_t { kChakra, kNcclLog };

std::string Several(std::uint64_t count, const std::string& one, const std::string& many) {
  return GroupedDigits(count) + " " + (count == 1 ? one : many);
}

std::string BytesText(double bytes) { return ToText(Bytes{static_cast<std::int64_t>(bytes)}); }

/// "1,000 ns (1.000 us)".
std::string NanoSecondsText(double ns) {
  return fmt::format("{} ns ({:.3f} us)", GroupedDigits(static_cast<std::uint64_t>(ns)), ns / 1e3);
}

/// A line for each kind of collective and size of groups.
std::string CollectivesText(const ChakraTrace& trace, const ChakraSummary& sum) {
  struct Groups {
    std::uint32_t first = 0, count = 0;
    ChakraUse use;
  };
  std::map<std::tuple<bool, std::size_t, ChakraCollective>, Groups> lines;
  for (const auto& [key, use] : sum.uses) {
    const auto& [group, collective] = key;
    Groups& line = lines[{group != 0, trace.groups[group].ranks.size(), collective}];
    if (line.count++ == 0) line.first = group;
    line.use.count += use.count;
    line.use.bytes += use.bytes;
  }
  std::string text;
  for (const auto& [key, line] : lines) {
    const auto& [named, ranks, collective] = key;
    const std::string group = Printable(trace.groups[line.first].name);
    const std::string of = !named ? "all ranks"
                           : line.count > 1
                               ? fmt::format("{} groups of {} ranks", line.count, ranks)
                               : fmt::format("group {} ({} ranks)", group, ranks);
    text += fmt::format("collective  {} of {}: {}, {}\n", ToText(collective), of,
                        Several(line.use.count, "call", "calls"), BytesText(line.use.bytes));
  }
  return text;
}

/// "there are 2; the first is node 5 of step.0.et, a send to 0, tag 0".
std::string FirstOf(const ChakraTrace& trace, const ChakraCount& count) {
  return fmt::format("the first is {}, {}", trace.PlaceOf(count.first),
                     trace.Describe(trace.at(count.first)));
}

/// What is odd about a trace, a sentence each.
std::vector<std::string> OddNodes(const ChakraTrace& trace, const ChakraSummary& sum) {
  std::vector<std::string> odd = WarnOfChakra(trace);
  for (std::string& sentence : odd) sentence.erase(0, trace.name.size() + 2);
  if (sum.stuck > 0)
    odd.push_back(fmt::format("{} for ever, since nodes wait for each other: {} of {}",
                              Several(sum.stuck, "node waits", "nodes wait"),
                              DescribeCycle(trace.Rank(sum.stuck_rank)),
                              trace.ranks[sum.stuck_rank].file));
  if (sum.incomplete.count > 0)
    odd.push_back(Several(sum.incomplete.count, "node lacks", "nodes lack") +
                  " what a run needs to know; " + FirstOf(trace, sum.incomplete));
  if (sum.unknown_groups.count > 0)
    odd.push_back(Several(sum.unknown_groups.count, "collective is", "collectives are") +
                  " of groups of which nothing says the ranks; " +
                  FirstOf(trace, sum.unknown_groups));
  if (sum.idle_ranks > 0)
    odd.push_back(Several(sum.idle_ranks, "rank has", "ranks have") + " no node");
  return odd;
}

std::string HeadText(Format format, const ChakraTrace& trace) {
  std::string text = fmt::format("trace       {}: {}, {}", trace.name,
                                 format == Format::kChakra ? "Chakra" : "logs of NCCL",
                                 Several(trace.ranks.size(), "rank", "ranks"));
  if (!trace.version.empty()) text += ", version " + Printable(trace.version);
  if (!trace.schema.empty()) text += ", schema " + Printable(trace.schema);
  return text + "\n";
}

/// "3 computations (1 on the CPU), 1 collective": the kinds that there are.
std::string KindsText(const ChakraSummary& sum) {
  std::vector<std::string> kinds;
  const auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) kinds.push_back(Several(count, one, many));
  };
  add(sum.computing, "computation", "computations");
  if (sum.on_cpu > 0) kinds.back() += fmt::format(" ({} on the CPU)", GroupedDigits(sum.on_cpu));
  add(sum.collectives, "collective", "collectives");
  add(sum.sends, "send", "sends");
  add(sum.receives, "receive", "receives");
  add(sum.memory, "access of memory", "accesses of memory");
  add(sum.nothing, "node of no time", "nodes of no time");
  return kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, ", "));
}

std::string ChakraText(Format format, const ChakraTrace& trace, const ChakraSummary& sum,
                       const std::vector<std::string>& odd) {
  std::string text = HeadText(format, trace);
  text += fmt::format("nodes       {}: {}; {}\n", GroupedDigits(trace.CountNodes()), KindsText(sum),
                      Several(sum.dependencies, "dependency", "dependencies"));
  text += CollectivesText(trace, sum);
  if (sum.sends > 0)
    text +=
        fmt::format("messages    {} sent, the largest has {} bytes\n", BytesText(sum.sent_bytes),
                    GroupedDigits(static_cast<std::uint64_t>(sum.largest_message)));
  if (sum.memory > 0) text += fmt::format("memory      {} accessed\n", BytesText(sum.memory_bytes));
  text += fmt::format("computing   {} of all ranks\n", NanoSecondsText(sum.computing_ns));
  text += fmt::format("chain       {} of computations that wait for each other, on rank {}\n",
                      NanoSecondsText(sum.longest_chain_ns), sum.longest_chain_rank);
  for (const std::string& sentence : odd) text += "odd         " + sentence + "\n";
  return text;
}

OrderedJson ChakraJson(const std::string& prefix, Format format, const ChakraTrace& trace,
                       const ChakraSummary& sum, const std::vector<std::string>& odd) {
  OrderedJson document = JsonDocument("trace show", kChakraShowSchema);
  document["trace"] = prefix;
  document["format"] = format == Format::kChakra ? "chakra" : "nccl log";
  document["ranks"] = trace.ranks.size();
  document["idle_ranks"] = sum.idle_ranks;
  document["dependencies"] = sum.dependencies;
  document["sent_bytes"] = sum.sent_bytes;
  document["largest_message_bytes"] = sum.largest_message;
  document["longest_chain_ns"] = sum.longest_chain_ns;
  document["longest_chain_rank"] = sum.longest_chain_rank;
  document["version"] = Printable(trace.version);
  document["nodes"] = {{"computations", sum.computing},  {"on_cpu", sum.on_cpu},
                       {"collectives", sum.collectives}, {"sends", sum.sends},
                       {"receives", sum.receives},       {"memory", sum.memory},
                       {"of_no_time", sum.nothing}};
  OrderedJson uses = OrderedJson::array();
  for (const auto& [key, use] : sum.uses)
    uses.push_back({{"collective", ToText(key.second)},
                    {"group", Printable(trace.groups[key.first].name)},
                    {"group_ranks", trace.groups[key.first].ranks.size()},
                    {"nodes", use.count},
                    {"bytes", use.bytes}});
  document["collectives"] = uses;
  document["memory_bytes"] = sum.memory_bytes;
  document["computing_ns"] = sum.computing_ns;
  document["odd"] = odd;
  return document;
}

/// `odd`: what its reader found odd.
void Show(const std::string& name, Format format, const ChakraTrace& trace,
          std::vector<std::string> odd, bool json) {
  const ChakraSummary sum = Summarize(trace);
  for (std::string& sentence : OddNodes(trace, sum)) odd.push_back(std::move(sentence));
  if (json) {
    PrintJson(ChakraJson(name, format, trace, sum, odd));
  } else {
    PrintText(ChakraText(format, trace, sum, odd));
  }
}

}  // namespace

void ShowChakra(const std::string& prefix, const ChakraReading& how, bool json) {
  const ChakraTrace trace = ReadChakra(prefix, how);
  Show(prefix, Format::kChakra, trace, {}, json);
}

void ShowNcclLog(const std::string& path, bool json) {
  const NcclTrace read = ReadNcclLogs(path);
  std::vector<std::string> odd = read.odd;
  if (!read.why_not.empty()) odd.push_back("a run is refused: " + read.why_not);
  Show(path, Format::kNcclLog, read.trace, odd, json);
}

}  // namespace heddle
