// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/tune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "collectives/tuner/tuner_graph.h"
#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr std::size_t kSizeWidth = 14, kTimeWidth = 10;

std::vector<TunerEntry> EntriesOf(const TuneRequest& request, std::int64_t bytes) {
  return Tune({request.operation, bytes, request.group}, request.rules);
}

std::size_t WidthOf(const TunerEntry& entry) {
  return std::max(kTimeWidth, std::string(RowOf(entry.algorithm).name).size() + 1) + 1;
}

std::string NameOf(const TunerEntry& entry) {
  return fmt::format("{} {}", RowOf(entry.algorithm).name, ToText(entry.protocol));
}

/// What a run takes; "-" if nothing of it is simulated.
std::string TakenOf(const std::vector<TunerEntry>& entries) {
  const auto taken = ShortestOf(entries, true);
  return taken ? NameOf(entries[*taken]) : "-";
}

std::string ChannelsText(const TunerGraph& graph) {
  return graph.inside == graph.between ? fmt::format("{} of {} GB/s", graph.channels, graph.inside)
                                       : fmt::format("{} of {} GB/s inside and {} between servers",
                                                     graph.channels, graph.inside, graph.between);
}

/// Two lines: the algorithms that are on, and their protocols.
std::string HeadLines(const std::vector<TunerEntry>& entries) {
  std::string algorithms(kSizeWidth, ' '), protocols = fmt::format("{:>{}}", "size", kSizeWidth);
  for (const TunerEntry& entry : entries) {
    if (!entry.why_off.empty()) continue;
    algorithms += fmt::format("{:>{}} ", RowOf(entry.algorithm).name, WidthOf(entry));
    protocols += fmt::format("{:>{}} ", ToText(entry.protocol), WidthOf(entry));
  }
  algorithms.resize(algorithms.find_last_not_of(' ') + 1);
  return algorithms + "\n" + protocols + "  a run takes\n";
}

std::string SizeLine(const std::vector<TunerEntry>& entries, std::int64_t bytes) {
  const auto shortest = ShortestOf(entries, false);
  std::string line = fmt::format("{:>{}}", bytes, kSizeWidth);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].why_off.empty()) continue;
    line += fmt::format("{:>{}.1f}{}", entries[i].prediction.time, WidthOf(entries[i]),
                        shortest == i ? '*' : ' ');
  }
  return line + "  " + TakenOf(entries) + "\n";
}

/// Why others are off. Names only the algorithm if all of its protocols are off for one reason.
std::string OffLines(const std::vector<TunerEntry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TunerEntry& entry = entries[i];
    if (entry.why_off.empty()) continue;
    const auto alike = [&](const TunerEntry& other) {
      return other.algorithm != entry.algorithm || other.why_off == entry.why_off;
    };
    const bool whole = std::all_of(entries.begin(), entries.end(), alike);
    if (whole && i > 0 && entries[i - 1].algorithm == entry.algorithm) continue;
    text += fmt::format("off            {:<16} {}\n",
                        whole ? RowOf(entry.algorithm).name : NameOf(entry), entry.why_off);
  }
  return text;
}

std::string NotSimulatedLines(const std::vector<TunerEntry>& entries) {
  std::string text;
  for (const TunerEntry& entry : entries) {
    if (!entry.why_off.empty() || entry.simulated) continue;
    text += fmt::format("not simulated  {:<16} a run takes the shortest of the others\n",
                        RowOf(entry.algorithm).name);
  }
  return text;
}

/// An algorithm with a protocol at a size.
struct PredictionRow {
  std::int64_t size = 0;
  TunerEntry entry;
  bool shortest = false, taken = false;
};

PrintedColumns<PredictionRow> PredictionColumns() {
  using Row = PredictionRow;
  const auto figure = [](double TunerPrediction::*member) {
    return [member](const Row& row) {
      return NullUnless(row.entry.why_off.empty(), row.entry.prediction.*member);
    };
  };
  return {{"size_bytes", &Row::size},
          {"algorithm", [](const Row& row) { return RowOf(row.entry.algorithm).name; }},
          {"protocol", [](const Row& row) { return ToText(row.entry.protocol); }},
          {"latency_us", figure(&TunerPrediction::latency)},
          {"bandwidth_gbyte_per_s", figure(&TunerPrediction::bandwidth)},
          {"time_us", figure(&TunerPrediction::time)},
          {"shortest", &Row::shortest},
          {"taken", &Row::taken},
          {"simulated", [](const Row& row) { return row.entry.simulated; }},
          {"why_off", [](const Row& row) { return NullIfEmpty(row.entry.why_off); }}};
}

}  // namespace

std::string TuneHead(const TuneRequest& request) {
  const TunerGroup& group = request.group;
  const TunerGraph rings = TunerGraphOf(TunerAlgorithm::kRing, group);
  const TunerGraph nvls = TunerGraphOf(TunerAlgorithm::kNvls, group);
  const std::string note = GpuTypeNote(group.gpu_type);
  return fmt::format(
      "operation      {} over {} ranks in {} server{} of {}{}\nchannels       rings and trees {}{}"
      "\n{}predicted      [us], * the shortest; NCCL 2.30's tuner, which knows no fabric "
      "(docs/models/nccl_tuner.md)\n\n",
      ToText(request.operation), group.ranks, group.servers, group.one_server() ? "" : "s",
      group.gpu_type.empty() ? "GPUs without a type" : group.gpu_type,
      group.has_nvlinks() ? "" : ", without NVSwitches", ChannelsText(rings),
      HasNvls(group.gpu_type) && nvls.channels > 1 ? "; NVLS " + ChannelsText(nvls) : "",
      note.empty() ? "" : fmt::format("note           {}; rates as of H100\n", note));
}

std::string TuneTable(const TuneRequest& request) {
  const std::vector<TunerEntry> entries = EntriesOf(request, request.sizes.front());
  std::string text = HeadLines(entries);
  for (const std::int64_t bytes : request.sizes) text += SizeLine(EntriesOf(request, bytes), bytes);
  const std::string notes = OffLines(entries) + NotSimulatedLines(entries);
  return notes.empty() ? text : text + "\n" + notes;
}

OrderedJson TuneJson(const TuneRequest& request) {
  const TunerGroup& group = request.group;
  std::vector<PredictionRow> rows;
  for (const std::int64_t bytes : request.sizes) {
    const std::vector<TunerEntry> entries = EntriesOf(request, bytes);
    const auto shortest = ShortestOf(entries, false), taken = ShortestOf(entries, true);
    for (std::size_t i = 0; i < entries.size(); ++i)
      rows.push_back({bytes, entries[i], shortest == i, taken == i});
  }
  return {{"operation", ToText(request.operation)},
          {"ranks", group.ranks},
          {"servers", group.servers},
          {"gpu_type", NullIfEmpty(group.gpu_type)},
          {"nvlinks", group.has_nvlinks()},
          {"predictions", PrintedList(PredictionColumns(), rows)}};
}

std::string TuneCsv(const TuneRequest& request) {
  std::string text =
      "size_bytes,algorithm,protocol,latency_us,bandwidth_gbs,time_us,shortest,taken,why_off\n";
  for (const std::int64_t bytes : request.sizes) {
    const std::vector<TunerEntry> entries = EntriesOf(request, bytes);
    const auto shortest = ShortestOf(entries, false), taken = ShortestOf(entries, true);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const TunerEntry& entry = entries[i];
      const std::string figures =
          entry.why_off.empty() ? fmt::format("{:.6f},{:.6f},{:.6f}", entry.prediction.latency,
                                              entry.prediction.bandwidth, entry.prediction.time)
                                : ",,";
      const std::string why =
          entry.why_off.empty() && !entry.simulated ? "not simulated" : entry.why_off;
      std::string quoted;
      for (const char c : why) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += fmt::format("{},{},{},{},{},{},\"{}\"\n", bytes, RowOf(entry.algorithm).name,
                          ToText(entry.protocol), figures, shortest == i ? 1 : 0,
                          taken == i ? 1 : 0, quoted);
    }
  }
  return text;
}

}  // namespace heddle
