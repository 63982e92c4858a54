// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/path_shares.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/analysis/flow_view.h"
#include "io/collisions/collision_analysis.h"
#include "io/collisions/flow_paths.h"
#include "io/collisions/recorded_flows.h"
#include "io/result/attribute_map.h"
#include "io/result/result_graph.h"
#include "io/result/result_reader.h"
#include "topology/graph/node_names.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

constexpr const char* kWeights = "monitors/cast";

/// The rows of a connection, in the order of the table.
using Rows = std::vector<std::size_t>;

struct Message {
  std::int64_t start = std::numeric_limits<std::int64_t>::max(), end = 0;
  bool finished = true;
};

/// Adds what the result says of its flows.
class FlowReader {
 public:
  FlowReader(const ResultReader& result, PathStudy* study)
      : study_(*study),
        graph_(ReadGraph(result)),
        routes_(RoutesOfResult(graph_, result)),
        has_paths_(SprayedBy(result).empty()),
        table_(result.ReadTable("flows")),
        flows_(table_),
        message_(GetColumn<std::uint32_t>(table_, "message")),
        priority_(GetColumn<std::uint8_t>(table_, "priority")) {}

  void Read() {
    const FlowPathSource checked(graph_, table_, nullptr, nullptr);  // their nodes exist
    const std::vector<bool> between = BetweenServers(graph_, table_);
    study_.has_jobs = flows_.job != nullptr;
    study_.lasts = study_.has_jobs && study_.lasts;
    std::map<ConnectionName, Rows> connections;
    for (std::size_t row = 0; row < flows_.src.size(); ++row) {
      if (between[row]) connections[NameOf(row)].push_back(row);
    }
    for (const auto& [name, rows] : connections) {
      const ConnectionShares whole = SharesOf(name, rows);
      study_.times[name] = {whole.time_ps, whole.bytes};
      if (study_.lasts) {
        Keep(whole, rows.size());
        continue;
      }
      std::map<std::uint32_t, Rows> messages;
      for (const std::size_t row : rows) messages[message_[row]].push_back(row);
      for (const auto& [number, own] : messages) Keep(SharesOf(name, own), own.size());
    }
  }

 private:
  ConnectionName NameOf(std::size_t row) const {
    const bool job = flows_.job != nullptr;
    return {flows_.src[row], flows_.dst[row], job ? (*flows_.job)[row] : std::uint16_t{0},
            job ? (*flows_.channel)[row] : std::uint16_t{0}, priority_[row]};
  }

  void Keep(const ConnectionShares& shares, std::size_t flows) {
    if (flows > 1) study_.connections.push_back(shares);
  }

  ConnectionShares SharesOf(const ConnectionName& name, const Rows& rows) const {
    ConnectionShares shares;
    shares.name = name;
    shares.queue_pairs = study_.queue_pairs;
    std::map<std::uint16_t, PathShare> by_port;
    std::map<std::uint32_t, Message> messages;
    for (const std::size_t row : rows) {
      PathShare& pair = by_port[flows_.source_port[row]];
      if (pair.bytes == 0 && has_paths_) pair.path = PathOf(row);
      pair.source_port = flows_.source_port[row];
      pair.bytes += flows_.size[row];
      shares.bytes += flows_.size[row];
      Message& message = messages[message_[row]];
      message.start = std::min(message.start, flows_.start[row]);
      message.finished = message.finished && flows_.fct[row] >= 0;
      if (message.finished) message.end = std::max(message.end, flows_.end(row));
    }
    for (const auto& [port, pair] : by_port) shares.pairs.push_back(pair);
    shares.messages = static_cast<std::int64_t>(messages.size());
    for (const auto& [number, message] : messages) {
      const bool all = shares.time_ps >= 0 && message.finished;
      shares.time_ps = all ? shares.time_ps + message.end - message.start : -1;
    }
    return shares;
  }

  std::vector<Hop> PathOf(std::size_t row) const {
    std::vector<Hop> path =
        TracePath(graph_, routes_, NodeId(flows_.src[row]), NodeId(flows_.dst[row]),
                  flows_.source_port[row], flows_.destination_port[row]);
    if (!path.empty()) path.erase(path.begin());  // the sender's own port
    return path;
  }

  PathStudy& study_;
  Graph graph_;
  Routes routes_;
  bool has_paths_;
  Table table_;
  FlowView flows_;
  const std::vector<std::uint32_t>& message_;
  const std::vector<std::uint8_t>& priority_;
};

void ReadWeights(const ResultReader& result, PathStudy* study) {
  if (!result.HasTable(kWeights)) return;
  const Table table = result.ReadTable(kWeights);
  const auto& src = GetColumn<std::uint32_t>(table, "src");
  const auto& dst = GetColumn<std::uint32_t>(table, "dst");
  const auto& name = GetColumn<std::uint32_t>(table, "connection");
  const auto& priority = GetColumn<std::uint8_t>(table, "priority");
  const auto& number = GetColumn<std::uint16_t>(table, "queue_pair");
  const auto& weight = GetColumn<double>(table, "weight");
  const auto& estimate = GetColumn<std::int64_t>(table, "estimate_ps");
  const auto& bytes = GetColumn<std::int64_t>(table, "posted_bytes");
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t>, WeighedConnection>
      connections;
  for (std::size_t row = 0; row < src.size(); ++row) {
    WeighedConnection& of = connections[{src[row], dst[row], name[row], priority[row]}];
    of.source = src[row];
    of.destination = dst[row];
    of.connection = name[row];
    of.priority = priority[row];
    of.updates += number[row] == 0 ? 1 : 0;
    if (of.pairs.size() <= number[row]) of.pairs.resize(number[row] + std::size_t{1});
    of.pairs[number[row]] = {weight[row], estimate[row], bytes[row]};
  }
  for (auto& [key, of] : connections) study->weighed.push_back(std::move(of));
}

/// What a result says of its run, without its flows and weights.
PathStudy Begin(const std::string& file, const ResultReader& result) {
  const AttributeMap attributes(result.ReadAttributes());
  PathStudy study;
  study.file = file;
  study.scheduler = attributes.Text("option requests.scheduler").value_or("message");
  const std::string pairs = attributes.Text("option nic.qps_per_connection").value_or("1");
  study.queue_pairs = static_cast<std::uint32_t>(std::max(1, std::atoi(pairs.c_str())));
  study.lasts = attributes.Text("option collective.connections").value_or("") == "lasting";
  study.has_flows = RecordedFlows(result) == "all" && result.CountRows("flows") > 0;
  return study;
}

/// Calls `work(result)`; errors name the file, because two results may be read.
template <class Work>
auto Named(const std::string& file, const Work& work) {
  try {
    const ResultReader result(file);
    return work(result);
  } catch (const UserError& error) {
    const std::string message = error.what();
    if (message.rfind(file, 0) == 0) throw;
    throw UserError(file + ": " + message);
  }
}

}  // namespace

double ConnectionShares::least_share() const {
  if (pairs.size() < queue_pairs || bytes == 0) return 0;
  std::int64_t least = bytes;
  for (const PathShare& pair : pairs) least = std::min(least, pair.bytes);
  return static_cast<double>(least) / static_cast<double>(bytes);
}

double ConnectionShares::most_share() const {
  std::int64_t most = 0;
  for (const PathShare& pair : pairs) most = std::max(most, pair.bytes);
  return bytes > 0 ? static_cast<double>(most) / static_cast<double>(bytes) : 0;
}

double ConnectionShares::most_gain() const {
  const double least = least_share();
  if (least == 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, 1.0 / queue_pairs / least - 1);
}

std::size_t ConnectionShares::distinct_paths() const {
  std::set<std::vector<std::pair<std::uint32_t, std::uint16_t>>> paths;
  for (const PathShare& pair : pairs) {
    std::vector<std::pair<std::uint32_t, std::uint16_t>> path;
    for (const Hop& hop : pair.path)
      path.emplace_back(hop.node.value, static_cast<std::uint16_t>(hop.port.value));
    paths.insert(std::move(path));
  }
  return paths.size();
}

PathStudy StudyPaths(const std::string& file) {
  return Named(file, [&](const ResultReader& result) {
    PathStudy study = Begin(file, result);
    if (study.queue_pairs == 1) {
      throw UserError(
          "each connection of the run had one queue pair, and so one path. Expected: a run with "
          "several (--set nic.qps_per_connection=4)");
    }
    const Graph graph = ReadGraph(result);
    const NodeNames names(graph);
    for (std::uint32_t node = 0; node < graph.node_count(); ++node)
      study.node_names.push_back(names.Of(NodeId(node)));
    if (study.has_flows) FlowReader(result, &study).Read();
    ReadWeights(result, &study);
    if (study.has_flows || !study.weighed.empty()) return study;
    throw UserError(
        "the result has neither its flows nor weights of queue pairs. Expected: a run with "
        "--record flows=all, or one of CAST with -o and --set monitor.kinds=cast");
  });
}

ConnectionTimes TimesOfConnections(const std::string& file) {
  return Named(file, [&](const ResultReader& result) {
    PathStudy study = Begin(file, result);
    if (!study.has_flows) {
      throw UserError(
          "the result does not have all its flows. Expected: a run with --record flows=all");
    }
    FlowReader(result, &study).Read();
    return study.times;
  });
}

}  // namespace heddle
