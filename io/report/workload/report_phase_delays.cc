// SPDX-License-Identifier: GPL-2.0-only
// Mean delays of chunks and messages by layer and phase, of collectives in phases.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Delays of a layer's operations in one phase of their chunks.
struct PhaseSums {
  double chunks = 0, queued = 0, messages = 0, network = 0;
};
using PhasesOfLayer = std::map<std::uint32_t, PhaseSums>;      // by phase
using DelayedLayers = std::map<std::uint32_t, PhasesOfLayer>;  // by layer
using DelayedJobs = std::map<std::uint32_t, DelayedLayers>;    // by job
using LayerKey = std::pair<std::uint32_t, std::uint32_t>;      // job, layer

DelayedJobs ReadDelays(const ReportSource& source) {
  DelayedJobs jobs;
  ForEachBlock(source.reader(), "phase_delays",
               {"job", "layer", "chunk_phase", "chunks", "queued_ps", "messages", "network_ps"},
               [&](const Table& block) {
                 const auto& job = GetColumn<std::uint32_t>(block, "job");
                 const auto& layer = GetColumn<std::uint32_t>(block, "layer");
                 const auto& phase = GetColumn<std::uint32_t>(block, "chunk_phase");
                 const auto& chunks = GetColumn<std::int64_t>(block, "chunks");
                 const auto& queued = GetColumn<std::int64_t>(block, "queued_ps");
                 const auto& messages = GetColumn<std::int64_t>(block, "messages");
                 const auto& network = GetColumn<std::int64_t>(block, "network_ps");
                 for (std::size_t i = 0; i < job.size(); ++i) {
                   PhaseSums& sums = jobs[job[i]][layer[i]][phase[i]];
                   sums.chunks += static_cast<double>(chunks[i]);
                   sums.queued += static_cast<double>(queued[i]);
                   sums.messages += static_cast<double>(messages[i]);
                   sums.network += static_cast<double>(network[i]);
                 }
               });
  return jobs;
}

std::map<LayerKey, std::string> LayerNames(const ReportSource& source) {
  std::map<LayerKey, std::string> names;
  ForEachBlock(source.reader(), "operations", {"job", "layer", "layer_name"},
               [&](const Table& block) {
                 const auto& job = GetColumn<std::uint32_t>(block, "job");
                 const auto& layer = GetColumn<std::uint32_t>(block, "layer");
                 const auto& name = GetColumn<std::string>(block, "layer_name");
                 for (std::size_t i = 0; i < job.size(); ++i) names[{job[i], layer[i]}] = name[i];
               });
  return names;
}

double MeanOf(double sum, double count) { return count > 0 ? sum / count : 0; }

/// Queue delays 0 to `phases`, then network delays 1 to `phases` [ps].
Json MeansByPhase(const PhasesOfLayer& layer, std::uint32_t phases) {
  const auto sums = [&](std::uint32_t phase) {
    const auto at = layer.find(phase);
    return at == layer.end() ? PhaseSums() : at->second;
  };
  Json means = Json::array();
  for (std::uint32_t p = 0; p <= phases; ++p)
    means.push_back(Rounded(MeanOf(sums(p).queued, sums(p).chunks), 6));
  for (std::uint32_t p = 1; p <= phases; ++p)
    means.push_back(Rounded(MeanOf(sums(p).network, sums(p).messages), 6));
  return means;
}

}  // namespace

Json ReportPhaseDelays(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("phase_delays")) return nullptr;
  constexpr std::size_t kMostJobs = 4;
  const DelayedJobs jobs = ReadDelays(source);
  const std::map<LayerKey, std::string> names = LayerNames(source);
  std::uint32_t phases = 0;
  for (const auto& [job, layers] : jobs) {
    for (const auto& [index, layer] : layers) phases = std::max(phases, layer.rbegin()->first);
  }
  Json list = Json::array();
  for (const auto& [job, layers] : jobs) {
    if (list.size() == kMostJobs) break;
    Json rows = Json::array();
    for (const auto& [index, layer] : layers) {
      if (rows.size() == limits.table_rows) break;
      const auto name = names.find({job, index});
      rows.push_back({{"index", index},
                      {"name", name == names.end() ? std::string() : name->second},
                      {"means", MeansByPhase(layer, phases)}});
    }
    list.push_back({{"job", job}, {"layers", rows}, {"all", layers.size()}});
  }
  Json kinds = Json::array();
  for (std::uint32_t p = 0; p <= phases; ++p) kinds.push_back(fmt::format("queue P{}", p));
  for (std::uint32_t p = 1; p <= phases; ++p) kinds.push_back(fmt::format("network P{}", p));
  return {{"jobs", list}, {"all_jobs", jobs.size()}, {"kinds", kinds}};
}

}  // namespace heddle
