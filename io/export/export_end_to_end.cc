// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_end_to_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

constexpr int kFwd = 0, kIg = 1, kWg = 2;
constexpr std::array<const char*, 3> kPhaseNames = {"fwd", "ig", "wg"};

/// Cost of one phase of a layer [ps], and its communication over all passes.
struct PhaseCost {
  std::int64_t compute = 0, exposed = 0, total = 0;
  std::int64_t bytes = 0;
  double bus_factor = 1;
  std::string group_type;  ///< empty: no communication
};

struct LayerCost {
  std::string name;
  std::array<PhaseCost, 3> phases;
  std::int64_t pipeline = 0;  ///< time that the GPU waited for other stages [ps]
  std::int64_t tail = 0;      ///< waited for weight gradients after the last step [ps]

  std::int64_t compute() const {
    return phases[kFwd].compute + phases[kIg].compute + phases[kWg].compute;
  }
};

/// The data of the report.
struct Run {
  std::string name;
  std::uint32_t job = 0, rank = 0;
  std::int64_t passes = 1, start = 0, end = 0;  ///< ps
  std::uint32_t gpus = 1, stages = 1;
  double bubble_factor = 0;
};

double Microseconds(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

/// The row of the rank selected by `choice`.
std::size_t FindRank(const Table& ranks, const ReportChoice& choice) {
  const auto& job = GetColumn<std::uint32_t>(ranks, "job");
  const auto& rank = GetColumn<std::uint32_t>(ranks, "rank");
  const auto& gpu = GetColumn<std::uint32_t>(ranks, "gpu");
  for (std::size_t i = 0; i < job.size(); ++i) {
    if (choice.job.value_or(choice.gpu ? job[i] : 0) != job[i]) continue;
    if (choice.gpu ? gpu[i] == *choice.gpu : rank[i] == 0) return i;
  }
  throw UserError(fmt::format(
      "no end-to-end report: {}{} is not in the result. Expected: the number of a job in table "
      "jobs, of a "
      "GPU of it in table ranks",
      choice.gpu ? fmt::format("GPU {} of ", *choice.gpu) : "",
      choice.job || !choice.gpu ? fmt::format("job {}", choice.job.value_or(0)) : "any job"));
}

/// The row of this job in table "jobs".
std::size_t FindJob(const Table& jobs, std::uint32_t number) {
  const auto& job = GetColumn<std::uint32_t>(jobs, "job");
  for (std::size_t i = 0; i < job.size(); ++i) {
    if (job[i] == number) return i;
  }
  throw UserError(fmt::format("table jobs: no job {}. Expected: a whole result of heddle", number));
}

Run DescribeRun(const EndToEndTables& tables, const ReportChoice& choice) {
  const std::size_t at = FindRank(tables.ranks, choice);
  Run run;
  run.job = GetColumn<std::uint32_t>(tables.ranks, "job")[at];
  run.rank = GetColumn<std::uint32_t>(tables.ranks, "rank")[at];
  run.end = GetColumn<std::int64_t>(tables.ranks, "end_ps")[at];
  if (run.end < 0) {
    throw UserError(
        fmt::format("no end-to-end report: the workload did not end on GPU {} (rank {} of job {}). "
                    "Expected: a run to the end",
                    GetColumn<std::uint32_t>(tables.ranks, "gpu")[at], run.rank, run.job));
  }
  const std::size_t j = FindJob(tables.jobs, run.job);
  const auto size = [&](const char* name) {
    return static_cast<double>(GetColumn<std::uint32_t>(tables.jobs, name)[j]);
  };
  run.name = GetColumn<std::string>(tables.jobs, "name")[j];
  if (run.name.empty()) run.name = "test1";
  run.passes = GetColumn<std::uint32_t>(tables.jobs, "passes")[j];
  run.start = GetColumn<std::int64_t>(tables.jobs, "start_ps")[j];
  run.gpus = GetColumn<std::uint32_t>(tables.jobs, "gpus")[j];
  run.stages = GetColumn<std::uint32_t>(tables.jobs, "pp")[j];
  const double interleaved = size("ga") * size("vpp");
  run.bubble_factor = interleaved > 0 ? (size("pp") - 1) / interleaved : 0;
  return run;
}

/// The layers executed by the rank, by index.
std::map<std::uint32_t, LayerCost> ReadLayers(const Table& layers, const Run& run) {
  const auto& job = GetColumn<std::uint32_t>(layers, "job");
  const auto& rank = GetColumn<std::uint32_t>(layers, "rank");
  const auto& layer = GetColumn<std::uint32_t>(layers, "layer");
  const auto& name = GetColumn<std::string>(layers, "name");
  const auto& tail = GetColumn<std::int64_t>(layers, "wg_tail_ps");
  const auto& pipeline = GetColumn<std::int64_t>(layers, "pp_exposed_ps");
  std::map<std::uint32_t, LayerCost> costs;
  for (std::size_t i = 0; i < job.size(); ++i) {
    if (job[i] != run.job || rank[i] != run.rank) continue;
    LayerCost& cost = costs[layer[i]];
    cost.name = name[i];
    cost.pipeline = pipeline[i];
    cost.tail = tail[i];
    for (int p = 0; p < 3; ++p) {
      const auto value = [&](const char* kind) {
        return GetColumn<std::int64_t>(layers, fmt::format("{}_{}_ps", kPhaseNames[p], kind))[i];
      };
      cost.phases[p].compute = value("compute");
      cost.phases[p].exposed = value("exposed");
      cost.phases[p].total = value("total");
    }
    if (layer[i] != 0) cost.phases[kWg].exposed -= tail[i];
  }
  return costs;
}

/// Adds the layers' communication, except that of pipeline stages.
void ReadOperations(const Table& operations, const Run& run,
                    std::map<std::uint32_t, LayerCost>* costs) {
  const auto& job = GetColumn<std::uint32_t>(operations, "job");
  const auto& layer = GetColumn<std::uint32_t>(operations, "layer");
  const auto& phase = GetColumn<std::string>(operations, "phase");
  const auto& group_type = GetColumn<std::string>(operations, "group_type");
  const auto& bytes = GetColumn<std::int64_t>(operations, "bytes");
  const auto& factor = GetColumn<double>(operations, "bus_factor");
  for (std::size_t i = 0; i < job.size(); ++i) {
    const auto found = costs->find(layer[i]);
    if (job[i] != run.job || found == costs->end() || group_type[i] == "PP") continue;
    for (int p = 0; p < 3; ++p) {
      if (phase[i] != kPhaseNames[p]) continue;
      PhaseCost& cost = found->second.phases[p];
      cost.bytes += bytes[i] * run.passes;
      cost.bus_factor = factor[i];
      cost.group_type = group_type[i];
    }
  }
}

/// How long the rank waited for messages of other stages before they were sent [ps].
std::int64_t ReadBubble(const Table& collectives, const Run& run) {
  const std::uint32_t ranks_of_stage = run.gpus / std::max(1U, run.stages);
  if (run.stages < 2 || ranks_of_stage == 0) return 0;
  const auto& job = GetColumn<std::uint32_t>(collectives, "job");
  const auto& type = GetColumn<std::string>(collectives, "group_type");
  const auto& group = GetColumn<std::uint32_t>(collectives, "group");
  const auto& peer = GetColumn<std::int64_t>(collectives, "peer");
  const auto& wait = GetColumn<std::int64_t>(collectives, "wait_ps");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const bool mine = job[i] == run.job && type[i] == "PP" &&
                      group[i] == run.rank % ranks_of_stage && peer[i] == run.rank / ranks_of_stage;
    if (mine) sum += wait[i];
  }
  return sum;
}

/// Figures of the first two lines and the last one [ps].
struct Totals {
  std::int64_t dp = 0, dp_ep = 0, tp = 0, ep = 0, pp = 0, bubble = 0, compute = 0, time = 0;
  std::int64_t tail = 0;
  double simai_bubble = 0;
};

Totals AddUp(const std::vector<LayerCost>& layers, const Run& run, std::int64_t bubble) {
  Totals totals;
  totals.bubble = bubble;
  totals.pp = -bubble;
  std::int64_t busy = 0;  // time that SimAI's formula of the bubble counts
  for (const LayerCost& layer : layers) {
    const auto& [fwd, ig, wg] = layer.phases;
    (wg.group_type == "DP_EP" ? totals.dp_ep : totals.dp) += wg.exposed;
    (fwd.group_type == "EP" ? totals.ep : totals.tp) += fwd.exposed + ig.exposed;
    totals.pp += layer.pipeline;
    totals.tail += layer.tail;
    totals.compute += layer.compute();
    if (layer.name != "embedding_layer") busy += fwd.exposed + ig.exposed + layer.compute();
  }
  totals.time = run.end - run.start;
  totals.simai_bubble = static_cast<double>(busy) * run.bubble_factor;
  return totals;
}

void WriteTotals(const Totals& totals, const std::string& name, std::ostream& out) {
  const auto share = [&](double ps) {
    const double percent = totals.time > 0 ? 100 * ps / static_cast<double>(totals.time) : 0;
    return fmt::format(", {:.0f} ({:.2f}%)", ps * 1e-6, percent);
  };
  out << "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
         "Expose_PP_comm, bubble time, "
         "total comp, total exposed comm, Total time\n"
      << CsvField(name);
  for (const std::int64_t ps :
       {totals.dp, totals.dp_ep, totals.tp, totals.ep, totals.pp, totals.bubble, totals.compute})
    out << share(static_cast<double>(ps));
  out << share(static_cast<double>(totals.time - totals.compute))
      << fmt::format(", {:.0f}\n", Microseconds(totals.time));
}

/// SimAI's "algbw,busbw" in GB/s; 0 without communication.
std::string Bandwidths(const PhaseCost& cost) {
  if (cost.total <= 0 || cost.bytes <= 0) return "0.000000,0.000000";
  const auto algorithm = static_cast<float>(static_cast<double>(cost.bytes) /
                                            (static_cast<double>(cost.total) * 1e-12) / (1 << 30));
  return fmt::format("{:f},{:f}", algorithm, static_cast<float>(algorithm * cost.bus_factor));
}

/// A line of the table up to the last bandwidth; `bandwidths` returns those of a phase.
template <class Get>
std::string LayerLine(const std::string& name, const std::string& run, const LayerCost& layer,
                      Get bandwidths) {
  std::string line = CsvField(name) + "," + CsvField(run);
  const auto& [fwd, ig, wg] = layer.phases;
  for (const PhaseCost* phase : {&fwd, &wg, &ig})
    line += fmt::format(",{:f}", Microseconds(phase->compute));
  for (const PhaseCost* phase : {&fwd, &wg, &ig})
    line += fmt::format(",{:f}", Microseconds(phase->exposed));
  for (const PhaseCost* phase : {&fwd, &wg, &ig}) {
    line += fmt::format(",{:f},{}", Microseconds(phase->total), bandwidths(*phase));
  }
  return line;
}

LayerCost Sum(const std::vector<LayerCost>& layers) {
  LayerCost sum;
  for (const LayerCost& layer : layers) {
    for (int p = 0; p < 3; ++p) {
      sum.phases[p].compute += layer.phases[p].compute;
      sum.phases[p].exposed += layer.phases[p].exposed;
      sum.phases[p].total += layer.phases[p].total;
    }
  }
  return sum;
}

}  // namespace

void ExportEndToEnd(const EndToEndTables& tables, const ReportChoice& choice, std::ostream& out) {
  const Run run = DescribeRun(tables, choice);
  std::map<std::uint32_t, LayerCost> by_index = ReadLayers(tables.layers, run);
  ReadOperations(tables.operations, run, &by_index);
  std::vector<LayerCost> layers;
  for (auto& [index, cost] : by_index) layers.push_back(std::move(cost));
  const Totals totals = AddUp(layers, run, ReadBubble(tables.collectives, run));
  WriteTotals(totals, run.name, out);
  out << "layer_name," << CsvField(run.name)
      << ",fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,ig exposed comm,fwd "
         "total "
         "comm,algbw,busbw,"
         "wg total comm,algbw,busbw,ig total comm,algbw,busbw,workload finished at\n";
  for (const LayerCost& layer : layers) {
    out << LayerLine(layer.name, run.name, layer, Bandwidths)
        << fmt::format(",{:f}\n", Microseconds(totals.time));
  }
  out << LayerLine("SUM", run.name, Sum(layers), [](const PhaseCost&) { return "NONE,NONE"; })
      << '\n'
      << fmt::format("total exposed comm,{:f},total comp,{:f},total time,{:f}\n",
                     Microseconds(totals.time - totals.compute), Microseconds(totals.compute),
                     Microseconds(totals.time))
      << fmt::format(
             "total time without the last wait,{:f},last wait for weight gradients,{:f},bubble by "
             "SimAI's formula,{:f}\n",
             Microseconds(totals.time - totals.tail), Microseconds(totals.tail),
             totals.simai_bubble * 1e-6);
}

}  // namespace heddle
