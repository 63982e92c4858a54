// SPDX-License-Identifier: GPL-2.0-only
#include <array>
#include <map>

#include "core/base/table.h"
#include "io/analysis/step_shares.h"
#include "io/analysis/step_time.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// The columns shown, each summed over ranks.
const std::vector<std::string>& LayerColumns() {
  static const std::vector<std::string> columns = {
      "fwd_compute_ps", "ig_compute_ps", "wg_compute_ps", "fwd_exposed_ps",
      "ig_exposed_ps",  "wg_exposed_ps", "pp_exposed_ps"};
  return columns;
}

struct Layer {
  std::string name;
  std::int64_t ranks = 0;
  std::array<double, 7> sums{};
};

using Layers = std::map<std::uint32_t, Layer>;  // by index

/// The times that the page shows, as means over ranks.
Json MeansOf(const Layer& layer) {
  std::array<double, 7> mean{};
  for (std::size_t i = 0; i < mean.size(); ++i)
    mean[i] = layer.sums[i] / static_cast<double>(layer.ranks);
  return Json::array({Rounded(mean[0] + mean[1] + mean[2], 6), Rounded(mean[3], 6),
                      Rounded(mean[4], 6), Rounded(mean[5], 6), Rounded(mean[6], 6)});
}

/// Sums over the layers of each name, in the order of first appearance.
Json ByName(const Layers& layers, std::size_t most) {
  std::vector<std::pair<std::string, Layer>> order;
  std::map<std::string, std::size_t> at;
  for (const auto& [index, layer] : layers) {
    const auto [found, is_new] = at.try_emplace(layer.name, order.size());
    if (is_new) order.push_back({layer.name, {layer.name, 1, {}}});
    Layer& sum = order[found->second].second;
    for (std::size_t i = 0; i < sum.sums.size(); ++i)
      sum.sums[i] += layer.sums[i] / static_cast<double>(layer.ranks);
  }
  std::map<std::string, std::int64_t> count;
  for (const auto& [index, layer] : layers) ++count[layer.name];
  Json rows = Json::array();
  for (std::size_t i = 0; i < order.size() && i < most; ++i) {
    rows.push_back({{"name", order[i].first},
                    {"layers", count[order[i].first]},
                    {"means", MeansOf(order[i].second)}});
  }
  return rows;
}

/// Name and share of each part, in order; null if the job did not end.
Json PartsOf(const StepTime& time) {
  if (!time.ended) return nullptr;
  Json parts = Json::array();
  for (int i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    parts.push_back({{"name", ToText(part)}, {"share", Rounded(time.of(part), 6)}});
  }
  return parts;
}

}  // namespace

Json ReportLayers(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("layers")) return nullptr;
  constexpr std::size_t kMostJobs = 4;
  std::map<std::uint32_t, Layers> jobs;
  std::vector<std::string> columns = {"job", "layer", "name"};
  columns.insert(columns.end(), LayerColumns().begin(), LayerColumns().end());
  ForEachBlock(source.reader(), "layers", columns, [&](const Table& block) {
    const auto& job = GetColumn<std::uint32_t>(block, "job");
    const auto& index = GetColumn<std::uint32_t>(block, "layer");
    const auto& name = GetColumn<std::string>(block, "name");
    std::array<const std::vector<std::int64_t>*, 7> values{};
    for (std::size_t c = 0; c < values.size(); ++c)
      values[c] = &GetColumn<std::int64_t>(block, LayerColumns()[c]);
    for (std::size_t i = 0; i < job.size(); ++i) {
      Layer& layer = jobs[job[i]][index[i]];
      layer.name = name[i];
      ++layer.ranks;
      for (std::size_t c = 0; c < values.size(); ++c)
        layer.sums[c] += static_cast<double>((*values[c])[i]);
    }
  });
  Json list = Json::array();
  for (const auto& [job, layers] : jobs) {
    if (list.size() == kMostJobs) break;
    Json rows = Json::array();
    for (const auto& [index, layer] : layers) {
      if (rows.size() == limits.points) break;
      rows.push_back({{"index", index}, {"name", layer.name}, {"means", MeansOf(layer)}});
    }
    list.push_back({{"job", job},
                    {"layers", rows},
                    {"all", layers.size()},
                    {"by_name", ByName(layers, limits.table_rows)}});
  }
  return {{"jobs", list},
          {"all_jobs", jobs.size()},
          {"kinds",
           {"computing", "exposed, forward", "exposed, input gradient", "exposed, weight gradient",
            "exposed, other stages"}}};
}

Json ReportJobs(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("jobs")) return nullptr;
  const std::uint64_t all = source.reader().CountRows("jobs");
  const std::vector<std::string> columns = {"job",       "name",     "workload", "gpus",
                                            "tp",        "dp",       "pp",       "ep",
                                            "placement", "start_ps", "passes",   "end_ps"};
  const Table table =
      source.reader().ReadRows("jobs", 0, std::min<std::uint64_t>(all, limits.table_rows), columns);
  const auto size = [&](const char* name, std::size_t i) {
    return GetColumn<std::uint32_t>(table, name)[i];
  };
  const auto text = [&](const char* name, std::size_t i) {
    return GetColumn<std::string>(table, name)[i];
  };
  const auto moment = [&](const char* name, std::size_t i) {
    return GetColumn<std::int64_t>(table, name)[i];
  };
  const StepTimes times =
      source.HasRows("ranks") && source.HasRows("layers") ? ReadStepTimes(source) : StepTimes();
  Json rows = Json::array();
  for (std::size_t i = 0; i < GetColumn<std::uint32_t>(table, "job").size(); ++i) {
    const StepTime time = times.Of(size("job", i));
    rows.push_back({{"job", size("job", i)},
                    {"name", text("name", i)},
                    {"workload", text("workload", i)},
                    {"gpus", size("gpus", i)},
                    {"tp", size("tp", i)},
                    {"dp", size("dp", i)},
                    {"pp", size("pp", i)},
                    {"ep", size("ep", i)},
                    {"placement", text("placement", i)},
                    {"passes", size("passes", i)},
                    {"start_ps", moment("start_ps", i)},
                    {"end_ps", moment("end_ps", i)},
                    {"without_tail_ps", Rounded(time.span_without_tail_ps)},
                    {"parts", PartsOf(time)}});
  }
  return {{"rows", rows}, {"all", all}};
}

}  // namespace heddle
