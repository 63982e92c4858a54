// SPDX-License-Identifier: GPL-2.0-only
/// Tables of a run of a workload, made from a few figures: one job on GPUs 0 to gpus - 1, figures
/// of rank 0.
#pragma once

#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/export/export_end_to_end.h"

namespace heddle {

struct PhaseFigures {
  std::int64_t compute_ns = 1, exposed_ns = 0, total_ns = 0;
  std::string op = "NONE";
  std::int64_t bytes = 0;
  std::string group_type = "TP";
  std::uint32_t ranks = 8;
  double bus_factor = 1.75;
};

struct LayerFigures {
  std::string name;
  PhaseFigures fwd, ig, wg;
  std::int64_t tail_ns = 0, pipeline_ns = 0;
};

/// Sizes and end of the job.
struct JobFigures {
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t pp = 1, vpp = 1, ga = 1, passes = 1;
  std::string name = {};
  std::uint32_t gpus = 8;
};

inline Table JobsOf(const JobFigures& job) {
  using U32 = std::vector<std::uint32_t>;
  return {"jobs",
          "",
          {{"job", "1", "", U32{0}},
           {"name", "1", "", std::vector<std::string>{job.name}},
           {"gpus", "1", "", U32{job.gpus}},
           {"pp", "1", "", U32{job.pp}},
           {"vpp", "1", "", U32{job.vpp}},
           {"ga", "1", "", U32{job.ga}},
           {"passes", "1", "", U32{job.passes}},
           {"start_ps", "ps", "", std::vector<std::int64_t>{job.start_ns * 1000}}}};
}

/// Ranks 0 and 1 on GPUs 0 and 7; rank 1 did not end.
inline Table RanksOf(const JobFigures& job) {
  using U32 = std::vector<std::uint32_t>;
  return {"ranks",
          "",
          {{"job", "1", "", U32{0, 0}},
           {"rank", "1", "", U32{0, 1}},
           {"gpu", "1", "", U32{0, 7}},
           {"end_ps", "ps", "", std::vector<std::int64_t>{job.end_ns * 1000, -1}}}};
}

inline Table LayersOf(const std::vector<LayerFigures>& layers) {
  std::vector<std::uint32_t> zeros(layers.size()), index;
  std::vector<std::string> names;
  std::vector<std::int64_t> tails, pipeline, times[9];
  for (const LayerFigures& layer : layers) {
    index.push_back(static_cast<std::uint32_t>(index.size()));
    names.push_back(layer.name);
    tails.push_back(layer.tail_ns * 1000);
    pipeline.push_back(layer.pipeline_ns * 1000);
    int column = 0;
    for (const PhaseFigures* phase : {&layer.fwd, &layer.ig, &layer.wg}) {
      times[column++].push_back(phase->compute_ns * 1000);
      times[column++].push_back(phase->exposed_ns * 1000);
      times[column++].push_back(phase->total_ns * 1000);
    }
  }
  Table table{"layers",
              "",
              {{"job", "1", "", zeros},
               {"rank", "1", "", zeros},
               {"gpu", "1", "", zeros},
               {"layer", "1", "", index},
               {"name", "1", "", names},
               {"wg_tail_ps", "ps", "", tails},
               {"pp_exposed_ps", "ps", "", pipeline}}};
  int column = 0;
  for (const char* phase : {"fwd", "ig", "wg"}) {
    for (const char* kind : {"compute", "exposed", "total"}) {
      table.columns.push_back({std::string(phase) + "_" + kind + "_ps", "ps", "", times[column++]});
    }
  }
  return table;
}

inline Table OperationsOf(const std::vector<LayerFigures>& layers) {
  std::vector<std::uint32_t> zeros, index, ranks;
  std::vector<std::string> phases, ops, groups;
  std::vector<std::int64_t> bytes;
  std::vector<double> factors;
  const char* names[] = {"fwd", "ig", "wg"};
  for (std::uint32_t l = 0; l < layers.size(); ++l) {
    int p = 0;
    for (const PhaseFigures* phase : {&layers[l].fwd, &layers[l].ig, &layers[l].wg}) {
      const char* name = names[p++];
      if (phase->op == "NONE") continue;
      zeros.push_back(0);
      index.push_back(l);
      phases.push_back(name);
      ops.push_back(phase->op);
      groups.push_back(phase->group_type);
      ranks.push_back(phase->ranks);
      bytes.push_back(phase->bytes);
      factors.push_back(phase->bus_factor);
    }
  }
  return {"operations",
          "",
          {{"job", "1", "", zeros},
           {"layer", "1", "", index},
           {"phase", "1", "", phases},
           {"op", "1", "", ops},
           {"group_type", "1", "", groups},
           {"ranks", "1", "", ranks},
           {"bytes", "byte", "", bytes},
           {"bus_factor", "1", "", factors}}};
}

/// A message between two ranks: who received it, and how long it waited for the sender.
struct MessageFigures {
  std::uint32_t job;
  std::string group_type;
  std::uint32_t group;
  std::int64_t peer, wait_ns;
};

inline Table MessagesOf(const std::vector<MessageFigures>& messages) {
  std::vector<std::uint32_t> job, group;
  std::vector<std::string> type;
  std::vector<std::int64_t> peer, wait;
  for (const MessageFigures& message : messages) {
    job.push_back(message.job);
    type.push_back(message.group_type);
    group.push_back(message.group);
    peer.push_back(message.peer);
    wait.push_back(message.wait_ns * 1000);
  }
  return {"collectives",
          "",
          {{"job", "1", "", job},
           {"group_type", "1", "", type},
           {"group", "1", "", group},
           {"peer", "1", "", peer},
           {"wait_ps", "ps", "", wait}}};
}

inline EndToEndTables TablesOf(const JobFigures& job, const std::vector<LayerFigures>& layers) {
  return {JobsOf(job), RanksOf(job), OperationsOf(layers), LayersOf(layers), {}};
}

}  // namespace heddle
