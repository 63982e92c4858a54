// SPDX-License-Identifier: GPL-2.0-only
// The drawn fabric: boxes, lines, their heat over time and who used them.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "io/report/fabric/fabric_layout.h"
#include "io/report/fabric/link_carriers.h"
#include "io/report/fabric/link_heat.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// All cables between two boxes, or within one, in one direction.
struct Lane {
  std::vector<HopIndex> links;
  HopIndex busiest = 0;  ///< of `links`, over the run
  double use = 0;        ///< bytes over rate of the busiest
  double bytes = 0;
};
struct Line {
  std::uint32_t a = 0, b = 0;  ///< boxes; equal: cables within a box, which have one lane
  Lane lanes[2];               ///< from a to b, and back

  bool inner() const { return a == b; }
};

/// Bounds on what is shown of a run.
struct FabricLimits {
  std::size_t bins, in_row, users, listed;
  explicit FabricLimits(const ReportLimits& limits)
      : bins(std::clamp<std::size_t>(limits.time_bins / 4, 24, 64)),
        in_row(std::clamp<std::size_t>(limits.heat_rows / 4, 24, 48)),
        users(limits.heat_rows * 600),
        listed(40) {}
};

class FabricMaker {
 public:
  FabricMaker(const ReportSource& source, const TracedLinks& traced, const ReportLimits& limits)
      : source_(source),
        traced_(traced),
        limits_(limits),
        layout_(LayOut(source.graph(), source.names(), limits_.in_row)),
        heat_(source, traced.times ? &*traced.times : nullptr, limits_.bins) {
    if (layout_.boxes.empty()) {
      ListLinks();
    } else {
      JoinLinks();
    }
    for (Line& line : lines_) {
      for (Lane& lane : line.lanes) Measure(&lane);
    }
  }

  bool any() const {
    return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
      return line.lanes[0].bytes + line.lanes[1].bytes > 0;
    });
  }

  Json Make() {
    static constexpr const char* kShapes[] = {"unknown", "levels", "grid", "ring"};
    static constexpr const char* kOrigins[] = {"monitor", "flows", "totals"};
    Json lines = Json::array(), lanes = Json::array();
    for (const Line& line : lines_) {
      lines.push_back({line.a, line.b, line.lanes[0].links.size()});
      for (const Lane& lane : line.lanes) lanes.push_back(LaneOf(lane));
    }
    Json made = {{"shape", kShapes[static_cast<std::size_t>(layout_.shape)]},
                 {"text", layout_.text},
                 {"boxes", Boxes()},
                 {"rows", layout_.rows},
                 {"parts", layout_.parts},
                 {"merged", layout_.most_merged},
                 {"origin", kOrigins[static_cast<std::size_t>(heat_.origin())]},
                 {"end_ps", source_.end_ps()},
                 {"bins", heat_.bins()},
                 {"unknown", traced_.unknown},
                 {"lines", std::move(lines)}};
    AddUsers(&made, &lanes);
    made["lanes"] = std::move(lanes);
    return made;
  }

 private:
  template <class Visit>
  void ForEachLink(Visit visit) const {
    const Graph& graph = source_.graph();
    for (HopIndex link = 0; link < source_.numbers().count(); ++link) {
      const Hop at = source_.numbers().At(link);
      visit(link, at.node, graph.ports(at.node)[at.port.value].peer);
    }
  }

  void JoinLinks() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> number;
    ForEachLink([&](HopIndex link, NodeId from, NodeId to) {
      const std::uint32_t a = layout_.box_of_node[from.value], b = layout_.box_of_node[to.value];
      const auto key = std::minmax(a, b);
      const auto [at, is_new] = number.try_emplace(key, lines_.size());
      if (is_new) lines_.push_back({key.first, key.second, {}});
      lines_[at->second].lanes[a > b ? 1 : 0].links.push_back(link);
    });
  }

  /// The busiest links of a fabric that is not drawn, each alone.
  void ListLinks() {
    std::vector<std::pair<double, HopIndex>> order;
    for (HopIndex link = 0; link < source_.numbers().count(); ++link) {
      const double use = heat_.BytesOf(link) / source_.RateOf(link);
      if (use > 0) order.emplace_back(-use, link);
    }
    const std::size_t kept = std::min(order.size(), limits_.listed);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
                      order.end());
    for (std::size_t i = 0; i < kept; ++i) {
      Line line;
      line.lanes[0].links.push_back(order[i].second);
      lines_.push_back(std::move(line));
    }
  }

  void Measure(Lane* lane) const {
    for (const HopIndex link : lane->links) {
      const double bytes = heat_.BytesOf(link), use = bytes / source_.RateOf(link);
      lane->bytes += bytes;
      if (&link != &lane->links.front() && use <= lane->use) continue;
      lane->use = use;
      lane->busiest = link;
    }
  }

  Json Boxes() const {
    Json boxes = Json::array();
    for (const FabricPicture::Box& box : layout_.boxes)
      boxes.push_back({{"name", box.name}, {"x", box.x}, {"y", box.y}, {"part", box.part}});
    return boxes;
  }

  /// Null if it carried nothing; heat in hundredths.
  Json LaneOf(const Lane& lane) const {
    if (lane.bytes <= 0) return nullptr;
    Json heat = Json::array();
    for (std::size_t bin = 0; bin < heat_.bins(); ++bin) {
      double most = 0;
      for (const HopIndex link : lane.links) most = std::max(most, heat_.Of(link, bin));
      heat.push_back(std::lround(100 * most));
    }
    return {{"name", source_.LinkName(lane.busiest)},
            {"rate", source_.RateOf(lane.busiest)},
            {"tier", source_.tiers().names()[source_.tiers().Of(lane.busiest)]},
            {"heat", std::move(heat)}};
  }

  /// Users of lanes until their number is exhausted: those between boxes first, then by use.
  void AddUsers(Json* made, Json* lanes) const {
    if (!traced_.times) return;
    std::vector<std::pair<const Line*, std::size_t>> order;  // and the lane's number
    for (std::size_t i = 0; i < 2 * lines_.size(); ++i) {
      if (lines_[i / 2].lanes[i % 2].bytes > 0) order.emplace_back(&lines_[i / 2], i);
    }
    const auto use = [](const auto& at) { return at.first->lanes[at.second % 2].use; };
    std::stable_sort(order.begin(), order.end(), [&](const auto& x, const auto& y) {
      if (x.first->inner() != y.first->inner()) return y.first->inner();
      return use(x) > use(y);
    });
    LinkCarriers carriers(source_, *traced_.times, heat_.bins());
    std::size_t entries = 0, with_users = 0;
    for (; with_users < order.size() && entries < limits_.users; ++with_users) {
      const auto& [line, number] = order[with_users];
      (*lanes)[number]["users"] = carriers.UsersOf(line->lanes[number % 2].links, &entries);
    }
    (*made)["users"] = carriers.users();
    (*made)["nodes"] = carriers.nodes();
    (*made)["kinds"] = carriers.kinds();
    (*made)["used_lanes"] = order.size();
    (*made)["lanes_with_users"] = with_users;
  }

  const ReportSource& source_;
  const TracedLinks& traced_;
  FabricLimits limits_;
  FabricPicture layout_;
  LinkHeat heat_;
  std::vector<Line> lines_;
};

}  // namespace

Json ReportFabric(const ReportSource& source, const TracedLinks& traced,
                  const ReportLimits& limits) {
  FabricMaker maker(source, traced, limits);
  return maker.any() ? maker.Make() : Json();
}

}  // namespace heddle
