// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/table.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using Text = std::vector<std::string>;

/// The events of a trace, written one after another.
class Trace {
 public:
  explicit Trace(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  }
  void Close() { out_ << "\n]}\n"; }

  void Name(const char* what, std::uint32_t process, std::uint32_t thread, Json arguments) {
    Write({{"name", what},
           {"ph", "M"},
           {"pid", process},
           {"tid", thread},
           {"args", std::move(arguments)}});
  }
  /// An event that lasts from `start` to `end` [ps].
  void Interval(const std::string& name, const char* category, std::uint32_t process,
                std::uint32_t thread, std::int64_t start, std::int64_t end, Json arguments) {
    const std::int64_t from = start / 1000;  // as for ends, so that neighbours meet
    const std::int64_t length = end / 1000 - from;
    Write({{"name", name},
           {"cat", category},
           {"ph", "X"},
           {"ts", static_cast<double>(from) / 1000},
           {"dur", static_cast<double>(length) / 1000},
           {"pid", process},
           {"tid", thread},
           {"args", std::move(arguments)}});
  }

 private:
  void Write(const Json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  std::ostream& out_;
  bool first_ = true;
};

enum class Kind : std::uint8_t { kCompute, kCommunication, kFlows };
constexpr const char* kKindNames[] = {"compute", "communication", "flows"};

/// Numbers the tracks, and sets the name and the sort index of each.
class Tracks {
 public:
  Tracks(Trace* trace, std::uint32_t gpus, const std::vector<std::string>& names)
      : trace_(trace), gpus_(gpus), names_(names) {}

  std::string NodeName(std::uint32_t node) const {
    if (node < names_.size()) return names_[node];
    return node < gpus_ ? fmt::format("GPU {}", node) : fmt::format("NVSwitch {}", node);
  }
  /// The track of an interval: the first free one of its node and kind. Intervals of a node and
  /// kind must be passed in order of their start.
  std::uint32_t Find(std::uint32_t process, std::uint32_t node, Kind kind, std::int64_t start,
                     std::int64_t end) {
    std::vector<Lane>& lanes = lanes_[{process, node, kind}];
    auto lane =
        std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.end <= start; });
    if (lane == lanes.end())
      lane = lanes.insert(lane, {Open(process, node, kind, lanes.size()), 0});
    lane->end = end;
    return lane->thread;
  }

 private:
  struct Lane {
    std::uint32_t thread;
    std::int64_t end;
  };
  /// Sort indices for the lanes of a kind; lanes beyond share the last index.
  static constexpr std::uint64_t kPlaces = 64;

  std::uint32_t Open(std::uint32_t process, std::uint32_t node, Kind kind, std::size_t lane) {
    const std::string more = lane == 0 ? "" : fmt::format(" {}", lane + 1);
    const int k = static_cast<int>(kind);
    ++count_;
    trace_->Name("thread_name", process, count_,
                 {{"name", fmt::format("{} {}{}", NodeName(node), kKindNames[k], more)}});
    const std::uint64_t place =
        (std::uint64_t{node} * 3 + k) * kPlaces + std::min<std::uint64_t>(lane, kPlaces - 1);
    trace_->Name("thread_sort_index", process, count_, {{"sort_index", place}});
    return count_;
  }

  Trace* trace_;
  std::uint32_t gpus_;
  const std::vector<std::string>& names_;
  std::uint32_t count_ = 0;  // starts at 1: thread 0 is an idle processor to Perfetto
  std::map<std::tuple<std::uint32_t, std::uint32_t, Kind>, std::vector<Lane>> lanes_;
};

/// The known data of a collective.
class Collectives {
 public:
  explicit Collectives(const Table& table)
      : op_(GetColumn<std::string>(table, "op")),
        group_type_(GetColumn<std::string>(table, "group_type")),
        layer_(GetColumn<std::string>(table, "layer_name")),
        algorithm_(GetColumn<std::string>(table, "algorithm")),
        protocol_(GetColumn<std::string>(table, "protocol")),
        micro_batch_(GetColumn<std::uint32_t>(table, "micro_batch")),
        ranks_(GetColumn<std::uint32_t>(table, "ranks")),
        bytes_(GetColumn<std::int64_t>(table, "bytes")) {
    const U32& job = GetColumn<std::uint32_t>(table, "job");
    const U32& operation = GetColumn<std::uint32_t>(table, "operation");
    const U32& group = GetColumn<std::uint32_t>(table, "group");
    for (std::size_t i = 0; i < job.size(); ++i)
      rows_.emplace(std::make_tuple(job[i], operation[i], group[i]), i);
  }
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The row of a group's collective; kNone if there is none.
  std::size_t Find(std::uint32_t job, std::int64_t operation, std::int64_t group) const {
    const auto row = rows_.find({job, operation, group});
    return row == rows_.end() ? kNone : row->second;
  }
  /// The row of any group's collective.
  std::size_t Find(std::uint32_t job, std::int64_t operation) const {
    const auto row = rows_.lower_bound({job, operation, 0});
    const bool found = row != rows_.end() && std::get<0>(row->first) == job &&
                       std::get<1>(row->first) == operation;
    return found ? row->second : kNone;
  }
  std::string Title(std::size_t row) const { return op_[row] + " " + group_type_[row]; }
  const std::string& layer(std::size_t row) const { return layer_[row]; }
  void Describe(std::size_t row, Json* arguments) const {
    arguments->update({{"micro_batch", micro_batch_[row]},
                       {"ranks", ranks_[row]},
                       {"bytes", bytes_[row]},
                       {"algorithm", algorithm_[row]},
                       {"protocol", protocol_[row]}});
  }

 private:
  const Text &op_, &group_type_, &layer_, &algorithm_, &protocol_;
  const U32 &micro_batch_, &ranks_;
  const I64& bytes_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> rows_;
};

void NameJobs(const Table& jobs, Trace* trace) {
  const U32& job = GetColumn<std::uint32_t>(jobs, "job");
  const Text& name = GetColumn<std::string>(jobs, "name");
  for (std::size_t i = 0; i < job.size(); ++i) {
    trace->Name(
        "process_name", job[i], 0,
        {{"name", fmt::format("job {}{}{}", job[i], name[i].empty() ? "" : ": ", name[i])}});
    trace->Name("process_sort_index", job[i], 0, {{"sort_index", job[i]}});
  }
}

/// Names of layers, by job and index.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> LayerNames(const Table& layers) {
  const U32& job = GetColumn<std::uint32_t>(layers, "job");
  const U32& layer = GetColumn<std::uint32_t>(layers, "layer");
  const Text& name = GetColumn<std::string>(layers, "name");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names;
  for (std::size_t i = 0; i < job.size(); ++i)
    names.emplace(std::make_pair(job[i], layer[i]), name[i]);
  return names;
}

void WriteSteps(const TraceTables& tables, const Collectives& collectives, Tracks* tracks,
                Trace* trace) {
  const Table& steps = tables.steps;
  const U32& job = GetColumn<std::uint32_t>(steps, "job");
  const U32& gpu = GetColumn<std::uint32_t>(steps, "gpu");
  const U32& pass = GetColumn<std::uint32_t>(steps, "pass");
  const U32& layer = GetColumn<std::uint32_t>(steps, "layer");
  const Text& phase = GetColumn<std::string>(steps, "phase");
  const Text& kind = GetColumn<std::string>(steps, "kind");
  const I64& operation = GetColumn<std::int64_t>(steps, "operation");
  const I64& group = GetColumn<std::int64_t>(steps, "group");
  const I64& start = GetColumn<std::int64_t>(steps, "start_ps");
  const I64& end = GetColumn<std::int64_t>(steps, "end_ps");
  auto names = LayerNames(tables.layers);
  for (std::size_t i = 0; i < job.size(); ++i) {
    const bool communicates = kind[i] == "communicate";
    const std::string& name = names[{job[i], layer[i]}];
    Json arguments = {
        {"layer", layer[i]}, {"layer_name", name}, {"pass", pass[i]}, {"phase", phase[i]}};
    std::string title = name + " " + phase[i];
    if (communicates) {
      arguments.update({{"operation", operation[i]}, {"group", group[i]}});
      const std::size_t row = collectives.Find(job[i], operation[i], group[i]);
      if (row != Collectives::kNone) {
        title = collectives.Title(row);
        collectives.Describe(row, &arguments);
      }
    }
    const Kind on = communicates ? Kind::kCommunication : Kind::kCompute;
    const std::uint32_t thread = tracks->Find(job[i], gpu[i], on, start[i], end[i]);
    trace->Interval(title, kKindNames[static_cast<int>(on)], job[i], thread, start[i], end[i],
                    std::move(arguments));
  }
}

/// The job of each GPU.
std::unordered_map<std::uint32_t, std::uint32_t> JobsOfGpus(const Table& ranks) {
  const U32& job = GetColumn<std::uint32_t>(ranks, "job");
  const U32& gpu = GetColumn<std::uint32_t>(ranks, "gpu");
  std::unordered_map<std::uint32_t, std::uint32_t> jobs;
  for (std::size_t i = 0; i < job.size(); ++i) jobs[gpu[i]] = job[i];
  return jobs;
}

/// Rows of finished flows, sorted by source and start.
std::vector<std::size_t> FlowOrder(const U32& source, const I64& start, const I64& fct) {
  std::vector<std::size_t> rows(source.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](std::size_t i) { return fct[i] < 0; }),
             rows.end());
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(source[a], start[a]) < std::tie(source[b], start[b]);
  });
  return rows;
}

bool HasColumn(const Table& table, const char* name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& c) { return c.name == name; });
}

void WriteFlows(const TraceTables& tables, const Collectives& collectives, Tracks* tracks,
                Trace* trace) {
  const Table& flows = *tables.flows;
  const U32& source = GetColumn<std::uint32_t>(flows, "src");
  const U32& destination = GetColumn<std::uint32_t>(flows, "dst");
  const U32& number = GetColumn<std::uint32_t>(flows, "number");
  const I64& size = GetColumn<std::int64_t>(flows, "size_bytes");
  const I64& start = GetColumn<std::int64_t>(flows, "start_ps");
  const I64& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const bool linked = HasColumn(flows, "operation");
  const U32* operation = linked ? &GetColumn<std::uint32_t>(flows, "operation") : nullptr;
  const auto* channel = linked ? &GetColumn<std::uint16_t>(flows, "channel") : nullptr;
  const U32* chunk = linked ? &GetColumn<std::uint32_t>(flows, "chunk") : nullptr;
  const auto jobs = JobsOfGpus(tables.ranks);
  const auto outside =
      static_cast<std::uint32_t>(GetColumn<std::uint32_t>(tables.jobs, "job").size());
  bool named = false;
  for (const std::size_t i : FlowOrder(source, start, fct)) {
    auto job = jobs.find(source[i]);
    if (job == jobs.end()) job = jobs.find(destination[i]);
    const std::uint32_t process = job == jobs.end() ? outside : job->second;
    if (process == outside && !std::exchange(named, true)) {
      trace->Name("process_name", outside, 0, {{"name", "flows of no job"}});
    }
    std::string title = "to " + tracks->NodeName(destination[i]);
    Json arguments = {
        {"src", source[i]}, {"dst", destination[i]}, {"number", number[i]}, {"bytes", size[i]}};
    if (linked) {
      arguments.update(
          {{"operation", (*operation)[i]}, {"channel", (*channel)[i]}, {"chunk", (*chunk)[i]}});
      const std::size_t row = collectives.Find(process, (*operation)[i]);
      if (row != Collectives::kNone) {
        title = collectives.Title(row) + " " + title;
        arguments["layer_name"] = collectives.layer(row);
      }
    }
    const std::int64_t end = start[i] + fct[i];
    const std::uint32_t thread = tracks->Find(process, source[i], Kind::kFlows, start[i], end);
    trace->Interval(title, "flow", process, thread, start[i], end, std::move(arguments));
  }
}

}  // namespace

void ExportPerfetto(const TraceTables& tables, std::ostream& out) {
  const U32& gpus = GetColumn<std::uint32_t>(tables.shape, "gpus");
  if (gpus.size() != 1)
    throw UserError(
        fmt::format("table {}: {} rows. Expected: one row", tables.shape.name, gpus.size()));
  Trace trace(out);
  Tracks tracks(&trace, gpus.front(), tables.names);
  const Collectives collectives(tables.collectives);
  NameJobs(tables.jobs, &trace);
  WriteSteps(tables, collectives, &tracks, &trace);
  if (tables.flows) WriteFlows(tables, collectives, &tracks, &trace);
  trace.Close();
}

}  // namespace heddle
