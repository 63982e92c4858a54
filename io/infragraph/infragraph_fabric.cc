// SPDX-License-Identifier: GPL-2.0-only
#include "io/infragraph/infragraph_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/infragraph/infragraph_nodes.h"
#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNone = ~0U;
constexpr Time kCableDelay = NanoSeconds(500), kNvLinkDelay = NanoSeconds(25);
constexpr std::uint32_t kSimaisNvLinkGbps = 2880;

/// In small letters.
std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a graph takes them (Graph::SetNames); else its nodes have numbers.
bool AreNames(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return false;
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.size() <= kMostNameBytes && Printable(name, kMostNameBytes) == name;
  });
}

bool IsPcie(const InfraLink& link) {
  const std::string words = Lower(link.name + " " + link.description);
  return link.by_transfers || words.find("pci") != std::string::npos;
}

/// Makes a fabric of boxes and cables.
class InfragraphBuilder {
 public:
  explicit InfragraphBuilder(const Infrastructure& all)
      : all_(all), nodes_(ExpandInfragraph(all)), box_of_gpus_(nodes_.boxes.size()) {
    for (const InfraNode& node : nodes_.nodes) {
      if (node.kind == InfraKind::kGpu) box_of_gpus_[node.box] = true;
    }
  }

  InfragraphFabric Build() {
    FindNvLinks();
    FindSwitches();
    GroupServers();
    NumberNodes();
    AssignPorts();
    Graph graph = MakeGraph();
    const std::string servers = fmt::format(
        "InfraGraph: {} server{} of {} GPU{}, {} NVSwitches, {} switches", servers_,
        servers_ == 1 ? "" : "s", per_server_, per_server_ == 1 ? "" : "s", nvswitches_, switches_);
    return {std::move(graph), servers, std::move(warnings_)};
  }

 private:
  [[noreturn]] void Fail(std::int64_t line, const std::string& found,
                         const std::string& expected) const {
    FailInput({all_.file, line}, found, expected);
  }
  const InfraNode& NodeOf(std::uint32_t node) const { return nodes_.nodes[node]; }
  bool IsGpu(std::uint32_t node) const { return NodeOf(node).kind == InfraKind::kGpu; }
  std::uint32_t BoxOf(std::uint32_t node) const { return NodeOf(node).box; }
  /// "server.0.xpu.3"
  std::string NameOf(std::uint32_t node) const {
    return fmt::format("{}.{}.{}", nodes_.boxes[BoxOf(node)].name, NodeOf(node).component->name,
                       NodeOf(node).index);
  }

  /// Cables inside servers: NVLinks, and the others, over which ports reach GPUs.
  void FindNvLinks() {
    is_nvswitch_.assign(nodes_.nodes.size(), false);
    others_.resize(nodes_.nodes.size());
    const auto joins_switch = [&](std::uint32_t gpu, std::uint32_t other) {
      return IsGpu(gpu) && NodeOf(other).kind == InfraKind::kSwitch;
    };
    for (const InfraCable& cable : nodes_.inside) {
      const bool direct = IsGpu(cable.a) && IsGpu(cable.b);
      const bool by_switch = joins_switch(cable.a, cable.b) || joins_switch(cable.b, cable.a);
      if (IsPcie(*cable.link) || (!direct && !by_switch)) {
        others_[cable.a].push_back(cable.b);
        others_[cable.b].push_back(cable.a);
        continue;
      }
      nvlinks_.push_back(cable);
      if (by_switch) is_nvswitch_[IsGpu(cable.a) ? cable.b : cable.a] = true;
    }
  }

  /// Boxes without GPUs: switches, NVSwitches of several servers, and what is left out.
  void FindSwitches() {
    std::vector<std::uint32_t> cables(nodes_.boxes.size()), at_gpus(nodes_.boxes.size());
    for (const InfraCable& cable : nodes_.between) {
      for (const auto& [own, other] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
        ++cables[BoxOf(own)];
        at_gpus[BoxOf(own)] += IsGpu(other) ? 1 : 0;
      }
    }
    is_switch_.assign(nodes_.boxes.size(), false);
    spans_servers_ = is_switch_;
    std::uint32_t left_out = 0;
    for (std::uint32_t box = 0; box < nodes_.boxes.size(); ++box) {
      if (box_of_gpus_[box]) continue;
      is_switch_[box] = cables[box] > 1;
      spans_servers_[box] = is_switch_[box] && at_gpus[box] == cables[box];
      left_out += is_switch_[box] ? 0 : 1;
    }
    if (left_out > 0)
      warnings_.push_back(
          fmt::format("{}: {} without GPUs and with at most one cable {} left out", all_.file,
                      left_out == 1 ? "an instance" : fmt::format("{} instances", left_out),
                      left_out == 1 ? "is" : "are"));
  }

  std::uint32_t RootOf(std::uint32_t box) {
    while (group_[box] != box) box = group_[box] = group_[group_[box]];
    return box;
  }
  /// Boxes whose GPUs share NVSwitches, or are joined by cables of their own, are one server.
  void GroupServers() {
    group_.resize(nodes_.boxes.size());
    std::iota(group_.begin(), group_.end(), 0);
    for (const InfraCable& cable : nodes_.between) {
      const std::uint32_t a = BoxOf(cable.a), b = BoxOf(cable.b);
      const bool direct = IsGpu(cable.a) && IsGpu(cable.b);
      if (direct || spans_servers_[a] || spans_servers_[b]) {
        const std::uint32_t one = RootOf(a), other = RootOf(b);
        group_[std::max(one, other)] = std::min(one, other);
      }
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> gpus;  // by first box
    for (std::uint32_t node = 0; node < nodes_.nodes.size(); ++node) {
      if (!IsGpu(node)) continue;
      std::vector<std::uint32_t>& group = gpus[FirstOf(node)];
      group.push_back(node);
    }
    if (gpus.empty()) Fail(0, "no component is a GPU (xpu)", "an infrastructure with GPUs");
    servers_ = static_cast<std::uint32_t>(gpus.size());
    per_server_ = static_cast<std::uint32_t>(gpus.begin()->second.size());
    for (const auto& [box, group] : gpus) {
      if (group.size() != per_server_)
        Fail(0, fmt::format("servers of {} and of {} GPUs", per_server_, group.size()),
             "servers of one size");
      for (const std::uint32_t gpu : group) order_.push_back(gpu);
    }
  }
  /// The lowest box with GPUs of a GPU's server.
  std::uint32_t FirstOf(std::uint32_t node) {
    const std::uint32_t root = RootOf(BoxOf(node));
    const auto [at, is_new] = first_of_.try_emplace(root, BoxOf(node));
    if (!is_new) at->second = std::min(at->second, BoxOf(node));
    return at->second;
  }

  /// GPUs, then NVSwitches, then switches.
  void NumberNodes() {
    id_of_node_.assign(nodes_.nodes.size(), kNone);
    id_of_box_.assign(nodes_.boxes.size(), kNone);
    for (const std::uint32_t gpu : order_) {
      id_of_node_[gpu] = static_cast<std::uint32_t>(names_.size());
      names_.push_back(NameOf(gpu));
    }
    for (std::uint32_t node = 0; node < nodes_.nodes.size(); ++node) {
      if (!is_nvswitch_[node]) continue;
      id_of_node_[node] = static_cast<std::uint32_t>(names_.size());
      names_.push_back(NameOf(node));
    }
    for (const bool spans : {true, false}) {
      for (std::uint32_t box = 0; box < nodes_.boxes.size(); ++box) {
        if (!is_switch_[box] || spans_servers_[box] != spans) continue;
        id_of_box_[box] = static_cast<std::uint32_t>(names_.size());
        names_.push_back(nodes_.boxes[box].name);
      }
      if (spans) nvswitches_ = static_cast<std::uint32_t>(names_.size() - order_.size());
    }
    switches_ = static_cast<std::uint32_t>(names_.size() - order_.size()) - nvswitches_;
  }

  /// Gives each port of a server the nearest GPU.
  void AssignPorts() {
    std::vector<std::uint32_t> ports;
    for (const InfraCable& cable : nodes_.between) {
      for (const std::uint32_t end : {cable.a, cable.b}) {
        if (box_of_gpus_[BoxOf(end)] && !IsGpu(end)) ports.push_back(end);
      }
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    std::vector<std::uint32_t> given(order_.size());
    for (const std::uint32_t port : ports) {
      const std::vector<std::uint32_t> near = NearestGpus(port);
      const auto fewest = std::min_element(near.begin(), near.end(), [&](auto a, auto b) {
        return given[id_of_node_[a]] < given[id_of_node_[b]];
      });
      ++given[id_of_node_[*fewest]];
      owner_[port] = *fewest;
    }
    CheckPorts(given);
  }

  /// GPUs that are fewest cables away inside the server; all of the box if no cable leads to one.
  std::vector<std::uint32_t> NearestGpus(std::uint32_t port) const {
    std::vector<std::uint32_t> at = {port}, found;
    std::map<std::uint32_t, bool> seen = {{port, true}};
    while (!at.empty() && found.empty()) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t node : at) {
        for (const std::uint32_t other : others_[node]) {
          if (!seen.emplace(other, true).second) continue;
          (IsGpu(other) ? found : next).push_back(other);
        }
      }
      at = std::move(next);
    }
    if (found.empty()) {
      for (const std::uint32_t gpu : order_) {
        if (BoxOf(gpu) == BoxOf(port)) found.push_back(gpu);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  void CheckPorts(const std::vector<std::uint32_t>& given) const {
    std::map<std::uint32_t, std::uint32_t> most;  // by box
    for (std::size_t i = 0; i < order_.size(); ++i)
      most[BoxOf(order_[i])] = std::max(most[BoxOf(order_[i])], given[i]);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (given[i] > 0 || most[BoxOf(order_[i])] == 0) continue;
      Fail(0,
           fmt::format("{} has no port of its own, and others of its server have",
                       NameOf(order_[i])),
           "a port for each GPU, as ports are not shared");
    }
  }

  Graph MakeGraph() {
    const auto gpus = static_cast<std::uint32_t>(order_.size());
    Graph graph(gpus, nvswitches_, switches_, per_server_, TypeOfGpus());
    for (const InfraCable& cable : nvlinks_) AddNvLink(cable, &graph);
    for (const InfraCable& cable : nodes_.between) {
      const std::uint32_t a = EndOf(cable.a), b = EndOf(cable.b);
      if (a == kNone || b == kNone || a == b) continue;
      const bool nvlink = (a < gpus && b < gpus && IsGpu(cable.a) && IsGpu(cable.b)) ||
                          IsNvSwitch(a) || IsNvSwitch(b);
      if (nvlink) {
        AddNvLink(cable, &graph);
      } else {
        AddCable(cable, a, b, &graph);
      }
    }
    if (AreNames(names_)) graph.SetNames(names_);
    return graph;
  }
  bool IsNvSwitch(std::uint32_t id) const {
    return id >= order_.size() && id < order_.size() + nvswitches_;
  }

  /// The node of the graph at a cable's end; kNone: it is left out.
  std::uint32_t EndOf(std::uint32_t node) const {
    const auto owner = owner_.find(node);
    if (owner != owner_.end()) return id_of_node_[owner->second];
    if (id_of_node_[node] != kNone) return id_of_node_[node];
    return id_of_box_[BoxOf(node)];
  }

  void AddCable(const InfraCable& cable, std::uint32_t a, std::uint32_t b, Graph* graph) const {
    const InfraLink& link = *cable.link;
    if (link.rate.bps == 0)
      Fail(cable.line, fmt::format("link '{}' has no rate", Printable(link.name)),
           "physical.bandwidth in gigabits_per_second or gigabytes_per_second");
    graph->AddLink({NodeId(a), NodeId(b), link.rate, link.has_delay ? link.delay : kCableDelay});
  }

  void AddNvLink(const InfraCable& cable, Graph* graph) {
    const InfraLink& link = *cable.link;
    const BitRate rate = link.rate.bps > 0 ? link.rate : ShareOf(cable, graph->gpu_type());
    graph->AddLink({NodeId(EndOf(cable.a)), NodeId(EndOf(cable.b)), rate,
                    link.has_delay ? link.delay : kNvLinkDelay});
  }

  /// Returns a cable's share of the rate of all NVLinks of the GPU's type.
  BitRate ShareOf(const InfraCable& cable, const std::string& type) {
    const GpuType* const known = FindGpuType(type);
    if (known == nullptr)
      Fail(cable.line,
           fmt::format("link '{}' has no rate, and the type of GPU is not known",
                       Printable(cable.link->name)),
           "physical.bandwidth, or a description of the GPU with its type, such as H100");
    const std::uint32_t gpu = IsGpu(cable.a) ? cable.a : cable.b;
    if (nvlinks_of_.empty()) CountNvLinks();
    const std::uint32_t gbps = known->nvlink_gbps > 0 ? known->nvlink_gbps : kSimaisNvLinkGbps;
    if (!says_rate_)
      warnings_.push_back(fmt::format(
          "{}: link '{}' has no rate: the NVLinks of a GPU share {} Gbps, as an {} reaches",
          all_.file, Printable(cable.link->name), gbps, type));
    says_rate_ = true;
    return BitRate{std::int64_t{gbps} * 1'000'000'000 / nvlinks_of_[gpu]};
  }
  void CountNvLinks() {
    for (const InfraCable& cable : nvlinks_) ++nvlinks_of_[cable.a], ++nvlinks_of_[cable.b];
    for (const InfraCable& cable : nodes_.between) {
      for (const std::uint32_t end : {cable.a, cable.b}) {
        if (IsGpu(end)) ++nvlinks_of_[end];
      }
    }
  }

  /// A known type in the names and descriptions of the GPUs; "NONE" if there is none, or several.
  std::string TypeOfGpus() const {
    std::string found = "NONE";
    std::size_t longest = 0;
    const InfraComponent& component = *NodeOf(order_.front()).component;
    const std::string words = Lower(component.name + " " + component.description);
    for (const GpuType& type : GpuTypes()) {  // GB200 has B200 in it
      const std::string name = type.name;
      if (words.find(Lower(name)) == std::string::npos || name.size() <= longest) continue;
      found = name;
      longest = name.size();
    }
    return found;
  }

  const Infrastructure& all_;
  InfraNodes nodes_;
  std::vector<bool> box_of_gpus_;                    ///< by box
  std::vector<bool> is_nvswitch_;                    ///< by node
  std::vector<bool> is_switch_, spans_servers_;      ///< by box
  std::vector<std::vector<std::uint32_t>> others_;   ///< by node: other ends inside, not of NVLinks
  std::vector<InfraCable> nvlinks_;                  ///< inside boxes
  std::vector<std::uint32_t> group_;                 ///< by box: another box of its server
  std::map<std::uint32_t, std::uint32_t> first_of_;  ///< by root
  std::vector<std::uint32_t> order_;                 ///< GPUs
  std::vector<std::uint32_t> id_of_node_, id_of_box_;
  std::map<std::uint32_t, std::uint32_t> owner_;       ///< GPU by port
  std::map<std::uint32_t, std::uint32_t> nvlinks_of_;  ///< by GPU, where a rate is not given
  std::vector<std::string> names_, warnings_;
  std::uint32_t servers_ = 0, per_server_ = 0, nvswitches_ = 0, switches_ = 0;
  bool says_rate_ = false;
};

}  // namespace

InfragraphFabric MakeInfragraphFabric(const Infrastructure& all) {
  return InfragraphBuilder(all).Build();
}

}  // namespace heddle
