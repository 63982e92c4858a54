// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/flow_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/table.h"
#include "core/containers/flat_map.h"
#include "io/analysis/controller_join.h"
#include "io/result/attribute_map.h"

namespace heddle {
namespace {

constexpr std::uint16_t kFirstOwnPort = 10000;

void CheckNodes(const Graph& graph, const std::vector<std::uint32_t>& nodes, const char* column) {
  for (const std::uint32_t node : nodes) {
    if (node >= graph.node_count()) {
      throw UserError(fmt::format(
          "table flows: node {} in column {}. Expected: a node of the result's topology, 0 to {}",
          node, column, graph.node_count() - 1));
    }
  }
}

void CheckHops(const Graph& graph, const std::vector<std::uint32_t>& nodes,
               const std::vector<std::uint16_t>& ports) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < graph.node_count() && ports[i] < graph.ports(NodeId(nodes[i])).size()) continue;
    throw UserError(fmt::format(
        "table {}: port {} of node {} in row {}. Expected: a port of the result's topology",
        kPathTable, ports[i], nodes[i], i));
  }
}

}  // namespace

FlowPathSource::FlowPathSource(const Graph& graph, const Table& flows, const Table* requests,
                               const Table* paths, const FlowLanes* lanes)
    : graph_(&graph),
      source_(GetColumn<std::uint32_t>(flows, "src")),
      destination_(GetColumn<std::uint32_t>(flows, "dst")),
      destination_port_(GetColumn<std::uint16_t>(flows, "destination_port")),
      source_ports_(GetColumn<std::uint16_t>(flows, "source_port")),
      decisions_(source_.size(), kNoRow),
      chosen_(source_.size(), false) {
  CheckNodes(graph, source_, "src");
  CheckNodes(graph, destination_, "dst");
  if (lanes != nullptr && lanes->any()) {
    lanes_ = lanes;
    channel_ = &GetColumn<std::uint16_t>(flows, "channel");
  }
  if (requests == nullptr || paths == nullptr) return;
  hop_node_ = &GetColumn<std::uint32_t>(*paths, "node");
  hop_port_ = &GetColumn<std::uint16_t>(*paths, "port");
  CheckHops(graph, *hop_node_, *hop_port_);
  first_hop_ = HopsOfDecisions(*requests, *paths);
  decisions_ = DecisionsOfFlows(flows, *requests);
  const auto& outcome = GetColumn<std::uint8_t>(*requests, "outcome");
  const auto& port = GetColumn<std::uint16_t>(*requests, "source_port");
  for (std::size_t flow = 0; flow < decisions_.size(); ++flow) {
    const std::uint32_t row = decisions_[flow];
    if (row == kNoRow ||
        outcome[row] == static_cast<std::uint8_t>(ControllerOutcome::kHostsOwnPort))
      continue;
    chosen_[flow] = true;
    if (port[row] != 0) source_ports_[flow] = port[row];
  }
}

PortLists FlowPathSource::Trace(const Routes& routes, const HopNumbers& numbers,
                                std::vector<HopIndex>* own) const {
  PortLists lists;
  for (std::size_t flow = 0; flow < source_.size(); ++flow) {
    const std::uint32_t row = decisions_[flow];
    const bool reserved = row != kNoRow && first_hop_[row] < first_hop_[row + 1];
    std::vector<Hop> path;
    if (!reserved || own != nullptr) path = PathOf(routes, flow);
    if (own != nullptr) own->push_back(numbers.Of(path[0].node, path[0].port));
    if (reserved) {
      for (std::size_t i = first_hop_[row]; i < first_hop_[row + 1]; ++i) {
        lists.Push(numbers.Of(NodeId((*hop_node_)[i]), PortId((*hop_port_)[i])));
      }
    } else {
      for (std::size_t i = 1; i < path.size(); ++i)
        lists.Push(numbers.Of(path[i].node, path[i].port));
    }
    lists.EndFlow();
  }
  return lists;
}

PortLists FlowPathSource::TraceWith(const Routes& routes, const HopNumbers& numbers,
                                    const std::vector<std::uint16_t>& source_ports) const {
  PortLists lists;
  for (std::size_t flow = 0; flow < source_.size(); ++flow) {
    const std::vector<Hop> path = Find(routes, flow, source_ports[flow]);
    for (std::size_t i = 1; i < path.size(); ++i)
      lists.Push(numbers.Of(path[i].node, path[i].port));
    lists.EndFlow();
  }
  return lists;
}

std::vector<Hop> FlowPathSource::Find(const Routes& routes, std::size_t flow,
                                      std::uint16_t source_port) const {
  const NodeId from(source_[flow]), to(destination_[flow]);
  if (from == to) {
    throw UserError("table flows: a flow from " + Describe(*graph_, from) +
                    " to itself. Expected: two different ends");
  }
  if (lanes_ != nullptr && graph_->is_gpu(from) && graph_->is_gpu(to))
    return lanes_->Trace(from, to, (*channel_)[flow]);
  return TracePath(*graph_, routes, from, to, source_port, destination_port_[flow]);
}

std::string SprayedBy(const ResultReader& result) {
  return AttributeMap(result.ReadAttributes()).Text("sprayed_by").value_or("");
}

void ExpectPathsByFlow(const ResultReader& result) {
  if (const std::string why = WhyNoLanes(AttributeMap(result.ReadAttributes())); !why.empty())
    throw UserError(why + ". Expected: a run without phases, or with an algorithm a dimension");
  const std::string option = SprayedBy(result);
  if (option.empty()) return;
  throw UserError(fmt::format(
      "packets of a flow took paths that its hash does not tell ({}): no flow has a path "
      "of its own. Expected: a run with balance.ports=hash",
      option));
}

Routes RoutesOfResult(const Graph& graph, const ResultReader& result) {
  const auto word = AttributeMap(result.ReadAttributes()).Text("option nic.ports");
  return Routes(graph, word ? ParseNicPorts(*word) : NicPorts::kHash);
}

std::vector<std::uint16_t> HostsOwnPorts(const Table& flows) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  FlatMap counter_of;
  std::vector<std::uint16_t> next;
  std::vector<std::uint16_t> ports;
  ports.reserve(source.size());
  for (std::size_t flow = 0; flow < source.size(); ++flow) {
    const std::uint64_t pair = (static_cast<std::uint64_t>(source[flow]) << 32) | destination[flow];
    std::uint32_t counter = counter_of.Find(pair);
    if (counter == FlatMap::kNone) {
      counter = static_cast<std::uint32_t>(next.size());
      counter_of.Insert(pair, counter);
      next.push_back(kFirstOwnPort);
    }
    ports.push_back(next[counter]++);
  }
  return ports;
}

NodeId MiddleSwitch(const HopNumbers& numbers, PortLists::Range path) {
  return path.size() < 3 ? NodeId() : numbers.At(path[path.size() / 2]).node;
}

}  // namespace heddle
