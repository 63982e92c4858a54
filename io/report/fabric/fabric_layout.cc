// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/fabric_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "io/report/fabric/grid_search.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNone = ~0U;

/// Sets of switches that are linked.
class Unions {
 public:
  explicit Unions(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Of(a);
    b = Of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// The lowest member of the set.
  std::uint32_t Of(std::uint32_t node) {
    while (parent_[node] != node) {
      parent_[node] = parent_[parent_[node]];
      node = parent_[node];
    }
    return node;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

class LayoutMaker {
 public:
  LayoutMaker(const Graph& graph, const NodeNames& names, std::size_t most)
      : graph_(graph),
        names_(names),
        most_(std::max<std::size_t>(most, 2)),
        levels_(LinkTiers(graph).levels()),
        server_(graph.node_count(), kNone) {
    FindServers();
  }

  FabricPicture Make() {
    bool within = false, of_gpus = false;
    for (const Link& link : graph_.links()) {
      const bool of_nvswitch = levels_[link.a.value] == LinkTiers::kNvLevel ||
                               levels_[link.b.value] == LinkTiers::kNvLevel;
      if (of_nvswitch && !IsInside(link)) {
        made_.text = "has NVSwitches that join servers";
        return std::move(made_);
      }
      if (IsInside(link) || levels_[link.a.value] != levels_[link.b.value]) continue;
      within = true;
      of_gpus = of_gpus || graph_.is_gpu(link.a);
    }
    if (!within) {
      MakeLevels();
    } else if (!MakeGrid(of_gpus)) {
      made_ = FabricPicture();
      made_.text = reason_;
    }
    return std::move(made_);
  }

 private:
  bool IsSwitch(NodeId node) const { return graph_.kind(node) == NodeKind::kSwitch; }
  /// Whether a cable does not leave a server.
  bool IsInside(const Link& link) const {
    return server_[link.a.value] != kNone && server_[link.a.value] == server_[link.b.value];
  }

  /// An NVSwitch belongs to the server of its first GPU.
  void FindServers() {
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      const NodeId id(node);
      if (IsSwitch(id)) continue;
      if (graph_.is_gpu(id)) {
        server_[node] = graph_.ServerOf(id);
        continue;
      }
      for (const Attachment& port : graph_.ports(id)) {
        if (!graph_.is_gpu(port.peer)) continue;
        server_[node] = graph_.ServerOf(port.peer);
        break;
      }
    }
  }

  std::string ServerName(std::uint32_t server) const {
    return graph_.gpus_per_server() > 1 ? fmt::format("server {}", server)
                                        : names_.Of(NodeId(server));
  }

  // ---- levels ----

  struct Member {
    std::uint32_t plane = 0, pod = 0, node = 0;  ///< a server's number, or a switch
    std::int32_t part = -1;
  };

  void MakeLevels() {
    std::uint32_t top = 0;
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      if (IsSwitch(NodeId(node))) top = std::max<std::uint32_t>(top, levels_[node]);
    }
    Unions planes(graph_.node_count()), pods(graph_.node_count());
    for (const Link& link : graph_.links()) {
      if (!IsSwitch(link.a) || !IsSwitch(link.b)) continue;
      planes.Join(link.a.value, link.b.value);
      if (levels_[link.a.value] < top && levels_[link.b.value] < top)
        pods.Join(link.a.value, link.b.value);
    }
    std::vector<std::vector<Member>> rows(top + 1);
    for (std::uint32_t server = 0; server < Servers(); ++server)
      rows[0].push_back({0, PodOf(server, top, &pods), server, -1});
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      const std::uint32_t level = levels_[node];
      if (!IsSwitch(NodeId(node))) continue;
      const std::uint32_t pod = top >= 3 && level < top ? pods.Of(node) : 0;
      rows[level].push_back({planes.Of(node), pod, node, -1});
    }
    NameParts(top, &rows);
    made_.shape = FabricPicture::Shape::kLevels;
    made_.text = top == 0   ? "servers without switches"
                 : top == 1 ? "one level of switches"
                            : fmt::format("{} levels of switches", top);
    made_.box_of_node.assign(graph_.node_count(), 0);
    for (std::uint32_t row = 0; row < rows.size(); ++row) AddRow(row, top, &rows[row]);
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      if (server_[node] != kNone) made_.box_of_node[node] = box_of_server_[server_[node]];
    }
  }

  std::uint32_t Servers() const { return graph_.server_count(); }

  /// The pod of a server's first leaf.
  std::uint32_t PodOf(std::uint32_t server, std::uint32_t top, Unions* pods) const {
    if (top < 3) return 0;
    for (const Attachment& port : graph_.ports(NodeId(server * graph_.gpus_per_server()))) {
      if (IsSwitch(port.peer)) return pods->Of(port.peer.value);
    }
    return 0;
  }

  /// Planes are networks of several levels that share no switch; pods share the highest level only.
  void NameParts(std::uint32_t top, std::vector<std::vector<Member>>* rows) {
    constexpr std::size_t kMostParts = 64;
    std::map<std::uint32_t, std::int32_t> planes;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> pods;
    for (std::uint32_t level = 1; level <= top; ++level) {
      for (const Member& member : (*rows)[level]) {
        planes.emplace(member.plane, 0);
        if (level < top) pods.emplace(std::pair(member.plane, member.pod), 0);
      }
    }
    const bool has_planes = top >= 2 && planes.size() > 1 && planes.size() <= kMostParts;
    const bool has_pods = top >= 3 && !has_planes && pods.size() > 1 && pods.size() <= kMostParts;
    std::int32_t next = 0;
    for (auto& [plane, part] : planes) {
      if (has_planes) made_.parts.push_back(fmt::format("plane {}", next));
      part = has_planes ? next++ : -1;
    }
    std::map<std::uint32_t, std::int32_t> of_pod;
    for (auto& [pod, part] : pods) {
      if (has_pods) made_.parts.push_back(fmt::format("pod {}", next));
      part = has_pods ? next++ : -1;
      of_pod[pod.second] = part;
    }
    for (std::uint32_t level = 0; level <= top; ++level) {
      for (Member& member : (*rows)[level]) {
        if (has_planes && level > 0) member.part = planes[member.plane];
        if (has_pods && level < top) member.part = of_pod[member.pod];
      }
    }
  }

  std::string RowName(std::uint32_t row, std::uint32_t top) const {
    if (row == 0) return graph_.gpus_per_server() > 1 ? "servers" : "GPUs";
    if (top == 1) return "switches";
    static constexpr const char* kNames[] = {"", "leaves", "spines", "cores"};
    return row < 4 ? kNames[row] : fmt::format("level {}", row);
  }

  /// Boxes of neighbours, of one part each if these are few enough.
  void AddRow(std::uint32_t row, std::uint32_t top, std::vector<Member>* members) {
    std::stable_sort(members->begin(), members->end(), [](const Member& a, const Member& b) {
      return std::tie(a.plane, a.pod, a.node) < std::tie(b.plane, b.pod, b.node);
    });
    std::size_t size = (members->size() + most_ - 1) / most_;
    while (size > 1 && size < members->size() && BoxesOf(*members, size, true) > most_ + most_ / 4)
      size += (size + 7) / 8;
    const bool by_part = size < members->size();
    if (!by_part) size = (members->size() + most_ - 1) / most_;
    std::uint32_t x = 0;
    for (std::size_t first = 0; first < members->size();) {
      const std::size_t last = EndOfBox(*members, first, size, by_part);
      AddBox(row, x++, *members, first, last);
      first = last;
    }
    made_.rows.push_back(RowName(row, top));
  }

  static std::size_t EndOfBox(const std::vector<Member>& members, std::size_t first,
                              std::size_t size, bool by_part) {
    std::size_t last = first + 1;
    while (last < members.size() && last < first + size &&
           (!by_part || members[last].part == members[first].part))
      ++last;
    return last;
  }
  static std::size_t BoxesOf(const std::vector<Member>& members, std::size_t size, bool by_part) {
    std::size_t boxes = 0;
    for (std::size_t first = 0; first < members.size(); ++boxes)
      first = EndOfBox(members, first, size, by_part);
    return boxes;
  }

  void AddBox(std::uint32_t row, std::uint32_t x, const std::vector<Member>& members,
              std::size_t first, std::size_t last) {
    const auto number = static_cast<std::uint32_t>(made_.boxes.size());
    const auto name = [&](const Member& member) {
      return row == 0 ? ServerName(member.node) : names_.Of(NodeId(member.node));
    };
    FabricPicture::Box box;
    box.name = name(members[first]);
    if (last > first + 1) box.name += " to " + name(members[last - 1]);
    box.x = x;
    box.y = row;
    box.part = members[first].part == members[last - 1].part ? members[first].part : -1;
    box.nodes = static_cast<std::uint32_t>(last - first);
    if (row == 0) box.server = members[first].node;
    made_.most_merged = std::max(made_.most_merged, box.nodes);
    if (row == 0) box_of_server_.resize(Servers());
    for (std::size_t i = first; i < last; ++i) {
      if (row == 0) {
        box_of_server_[members[i].node] = number;
      } else {
        made_.box_of_node[members[i].node] = number;
      }
    }
    made_.boxes.push_back(std::move(box));
  }

  // ---- grids ----

  /// Routers are the GPUs, or all switches. Returns false, with a reason, for what is no grid.
  bool MakeGrid(bool of_gpus) {
    const std::uint32_t first = of_gpus ? 0 : graph_.gpu_count() + graph_.nvswitch_count();
    const std::uint32_t routers = of_gpus ? graph_.gpu_count() : graph_.switch_count();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
    bool others = false;
    for (const Link& link : graph_.links()) {
      const bool a = link.a.value >= first && link.a.value < first + routers,
                 b = link.b.value >= first && link.b.value < first + routers;
      if (a && b) {
        cables.emplace_back(link.a.value - first, link.b.value - first);
      } else if (of_gpus) {
        others = true;
      }
    }
    const std::vector<std::uint32_t> lengths =
        others ? std::vector<std::uint32_t>() : FindGrid(routers, cables);
    if (lengths.empty()) {
      reason_ = "is neither of levels nor a torus, mesh or ring";
      return false;
    }
    const std::string text = fmt::format("{}", fmt::join(lengths, " x "));
    const bool ring = lengths.size() == 1;
    if (routers > (ring ? FabricPicture::kMostInRing : FabricPicture::kMostInGrid)) {
      reason_ =
          fmt::format("is {} of {} nodes, too large to be drawn", ring ? "a ring" : "a grid", text);
      return false;
    }
    made_.shape = ring ? FabricPicture::Shape::kRing : FabricPicture::Shape::kGrid;
    made_.text = ring ? "a ring or line of " + text : "a torus or mesh of " + text;
    for (std::uint32_t router = 0; router < routers; ++router) AddRouter(lengths, first, router);
    PlaceOthers(first, routers);
    return true;
  }

  /// Dimensions in turn go to the right and up, each later one in steps of the whole before it.
  void AddRouter(const std::vector<std::uint32_t>& lengths, std::uint32_t first,
                 std::uint32_t router) {
    FabricPicture::Box box;
    box.name = names_.Of(NodeId(first + router));
    std::uint32_t step[2] = {1, 1};
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      std::uint32_t& at = d % 2 == 0 ? box.x : box.y;
      at += step[d % 2] * CoordinateIn(lengths, d, router);
      step[d % 2] = step[d % 2] * lengths[d] + 1;  // and a gap
    }
    made_.boxes.push_back(std::move(box));
  }

  /// GPUs and NVSwitches are in the box of the router of their server's first GPU.
  void PlaceOthers(std::uint32_t first, std::uint32_t routers) {
    made_.box_of_node.assign(graph_.node_count(), 0);
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      if (node >= first && node < first + routers) {
        made_.box_of_node[node] = node - first;
        continue;
      }
      const std::uint32_t gpu = graph_.is_gpu(NodeId(node)) || server_[node] == kNone
                                    ? node
                                    : server_[node] * graph_.gpus_per_server();
      for (const Attachment& port : graph_.ports(NodeId(gpu))) {
        if (port.peer.value < first || port.peer.value >= first + routers) continue;
        made_.box_of_node[node] = port.peer.value - first;
        break;
      }
    }
  }

  const Graph& graph_;
  const NodeNames& names_;
  std::size_t most_;
  std::vector<std::uint8_t> levels_;   ///< by node
  std::vector<std::uint32_t> server_;  ///< by node; kNone: a switch
  std::vector<std::uint32_t> box_of_server_;
  std::string reason_;
  FabricPicture made_;
};

}  // namespace

FabricPicture LayOut(const Graph& graph, const NodeNames& names, std::size_t most_in_row) {
  return LayoutMaker(graph, names, most_in_row).Make();
}

}  // namespace heddle
