// SPDX-License-Identifier: GPL-2.0-only
#include "io/htsim/htsim_fabric.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {
namespace {

/// A count for messages: "16 hosts".
struct Count {
  std::int64_t number;
  std::string of;

  std::string Text() const { return fmt::format("{} {}", number, of); }
};

/// whole / parts, which must be exact. `where`: the line to blame.
std::int64_t Divide(const Count& whole, const Count& parts, const SourceLine& where) {
  if (whole.number % parts.number != 0)
    FailInput(where, fmt::format("{}, divided by {}", whole.Text(), parts.Text()),
              fmt::format("a divisor of {}", whole.number));
  return whole.number / parts.number;
}

std::int64_t Given(const HtsimNumber& number, std::int64_t otherwise) {
  return number.given() ? number.value : otherwise;
}

/// Counts tiers from the bottom.
class Shaper {
 public:
  explicit Shaper(const HtsimTopology& topology) : topology_(topology) {}

  HtsimShape Shape() {
    const HtsimTier& tor = topology_.tiers.front();
    const Count hosts{topology_.nodes.value, "hosts (Nodes)"};
    shape_.pods = Divide(hosts, {topology_.pod_size.value, "hosts of a pod (Podsize)"},
                         topology_.At(topology_.pod_size));
    shape_.tors = Divide(hosts, {tor.radix_down.value, "hosts of a ToR switch (Radix_Down)"},
                         topology_.At(tor.radix_down));
    cables_ = hosts.number;
    const std::int64_t above_tors = Above(0, {shape_.tors, "ToR switches"});
    if (topology_.tiers.size() == 2) {
      TwoTiers(above_tors);
    } else {
      ThreeTiers(above_tors);
    }
    return shape_;
  }

  /// All of the fabric.
  std::int64_t cables() const { return cables_; }

 private:
  /// Cables above the switches of a tier.
  std::int64_t Above(std::size_t index, const Count& switches) {
    const HtsimTier& tier = topology_.tiers[index];
    const HtsimTier& above = topology_.tiers[index + 1];
    const std::int64_t ratio = Given(tier.oversubscribed, 1);
    const std::int64_t below_rate = tier.radix_down.value * tier.speed.value;
    const std::int64_t above_rate = tier.radix_up.value * above.speed.value;
    if (below_rate != ratio * above_rate)
      FailInput(tier.oversubscribed.given() ? topology_.At(tier.oversubscribed)
                                            : topology_.At(tier.radix_up),
                fmt::format("Tier {}: {} Gb/s below a switch, {} Gb/s above it, Oversubscribed {}",
                            index, below_rate, above_rate, ratio),
                "a ratio of the two that is Oversubscribed, 1 if it is not given");
    cables_ += switches.number * tier.radix_up.value;
    if (cables_ > kMaxLinks)
      FailInput(topology_.At(topology_.nodes), fmt::format("a fabric of {} cables", cables_),
                fmt::format("at most {}", kMaxLinks));
    return switches.number * tier.radix_up.value;
  }

  /// That each of `below` switches below reaches `above` switches with all of its cables.
  void CheckReach(std::size_t index, std::int64_t above, const char* names) const {
    const HtsimTier& tier = topology_.tiers[index];
    const std::int64_t bundle = Given(topology_.tiers[index + 1].bundle, 1);
    if (tier.radix_up.value != above * bundle)
      FailInput(topology_.At(tier.radix_up),
                fmt::format("Radix_Up {} of Tier {}, and {} {}, with {} each (Bundle)",
                            tier.radix_up.value, index, above, names, bundle),
                fmt::format("Radix_Up {}, or other counts", above * bundle));
  }

  void TwoTiers(std::int64_t above_tors) {
    const HtsimTier& top = topology_.tiers[1];
    if (shape_.pods != 1)
      FailInput(topology_.At(topology_.pod_size),
                fmt::format("Podsize {} of {} hosts in two tiers", topology_.pod_size.value,
                            topology_.nodes.value),
                fmt::format("Podsize {}, as two tiers are one pod", topology_.nodes.value));
    shape_.tops = Divide({above_tors, "cables above the ToR switches"},
                         {top.radix_down.value, "cables of a top switch (Radix_Down)"},
                         topology_.At(top.radix_down));
    CheckReach(0, shape_.tops, "top switches");
  }

  void ThreeTiers(std::int64_t above_tors) {
    const HtsimTier& middle = topology_.tiers[1];
    const HtsimTier& top = topology_.tiers[2];
    Divide({shape_.tors, "ToR switches"}, {shape_.pods, "pods"}, topology_.At(topology_.pod_size));
    shape_.aggregations =
        Divide({above_tors, "cables above the ToR switches"},
               {middle.radix_down.value, "cables of an aggregation switch (Radix_Down)"},
               topology_.At(middle.radix_down));
    const std::int64_t in_pod = Divide({shape_.aggregations, "aggregation switches"},
                                       {shape_.pods, "pods"}, topology_.At(middle.radix_down));
    CheckReach(0, in_pod, "aggregation switches of a pod");
    const std::int64_t above = Above(1, {shape_.aggregations, "aggregation switches"});
    shape_.tops = Divide({above, "cables above the aggregation switches"},
                         {top.radix_down.value, "cables of a core switch (Radix_Down)"},
                         topology_.At(top.radix_down));
    const std::int64_t of_one =
        Divide({shape_.tops, "core switches"}, {in_pod, "aggregation switches of a pod"},
               topology_.At(top.radix_down));
    CheckReach(1, of_one, "core switches of an aggregation switch");
  }

  const HtsimTopology& topology_;
  HtsimShape shape_;
  std::int64_t cables_ = 0;
};

/// Adds cables of one tier after the other.
class Builder {
 public:
  Builder(const HtsimTopology& topology, const HtsimShape& shape)
      : topology_(topology),
        shape_(shape),
        hosts_(topology.nodes.value),
        graph_(static_cast<std::uint32_t>(hosts_), 0,
               static_cast<std::uint32_t>(shape.tors + shape.aggregations + shape.tops), 1,
               "NONE") {}

  Graph Build(std::int64_t cables) {
    graph_.ReserveLinks(static_cast<std::size_t>(cables));
    for (std::int64_t host = 0; host < hosts_; ++host)
      Add(host, hosts_ + host / topology_.tiers[0].radix_down.value, 0);
    const std::int64_t first_tor = hosts_, first_middle = first_tor + shape_.tors;
    if (shape_.aggregations == 0) {
      Join(first_tor, shape_.tors, first_middle, shape_.tops);
    } else {
      JoinPods(first_tor, first_middle, first_middle + shape_.aggregations);
    }
    return std::move(graph_);
  }

 private:
  /// Half of the latencies of the switches at the ends of a cable below `tier`, and its own.
  Time DelayBelow(std::size_t tier) const {
    const std::int64_t above = Given(topology_.tiers[tier].switch_latency, 0);
    const std::int64_t below = tier == 0 ? 0 : Given(topology_.tiers[tier - 1].switch_latency, 0);
    return NanoSeconds(topology_.tiers[tier].latency.value) + PicoSeconds((above + below) * 500);
  }

  void Add(std::int64_t below, std::int64_t above, std::size_t tier) {
    const auto node = [](std::int64_t id) { return NodeId(static_cast<std::uint32_t>(id)); };
    const std::int64_t bundle = Given(topology_.tiers[tier].bundle, 1);
    const BitRate rate{topology_.tiers[tier].speed.value * 1'000'000'000};
    for (std::int64_t i = 0; i < bundle; ++i)
      graph_.AddLink({node(below), node(above), rate, DelayBelow(tier)});
  }

  /// All ToR switches from `tor` on with all switches from `above` on.
  void Join(std::int64_t tor, std::int64_t tors, std::int64_t above, std::int64_t number) {
    for (std::int64_t i = 0; i < tors; ++i) {
      for (std::int64_t k = 0; k < number; ++k) Add(tor + i, above + k, 1);
    }
  }

  void JoinPods(std::int64_t first_tor, std::int64_t first_middle, std::int64_t first_top) {
    const std::int64_t tors = shape_.tors / shape_.pods;
    const std::int64_t middles = shape_.aggregations / shape_.pods;
    for (std::int64_t pod = 0; pod < shape_.pods; ++pod)
      Join(first_tor + pod * tors, tors, first_middle + pod * middles, middles);
    for (std::int64_t pod = 0; pod < shape_.pods; ++pod) {
      for (std::int64_t top = 0; top < shape_.tops; ++top)
        Add(first_middle + pod * middles + top % middles, first_top + top, 2);
    }
  }

  const HtsimTopology& topology_;
  const HtsimShape& shape_;
  std::int64_t hosts_;
  Graph graph_;
};

}  // namespace

std::string HtsimShape::Text() const {
  const auto some = [](std::int64_t number, const char* name, const char* more) {
    return fmt::format("{} {}{}", number, name, number == 1 ? "" : more);
  };
  if (aggregations == 0)
    return fmt::format("htsim, 2 tiers: {}, {}", some(tors, "ToR switch", "es"),
                       some(tops, "top switch", "es"));
  return fmt::format("htsim, 3 tiers: {}, {}, {}, {}", some(tors, "ToR switch", "es"),
                     some(aggregations, "aggregation switch", "es"),
                     some(tops, "core switch", "es"), some(pods, "pod", "s"));
}

HtsimShape ShapeOf(const HtsimTopology& topology) { return Shaper(topology).Shape(); }

Graph MakeHtsimGraph(const HtsimTopology& topology) {
  Shaper shaper(topology);
  const HtsimShape shape = shaper.Shape();
  const std::int64_t nodes = topology.nodes.value + shape.tors + shape.aggregations + shape.tops;
  if (nodes > kMaxNodes)
    FailInput(topology.At(topology.nodes), fmt::format("a fabric of {} nodes", nodes),
              fmt::format("at most {}", kMaxNodes));
  if (topology.tiers[0].bundle.given() && topology.tiers[0].bundle.value != 1)
    FailInput(topology.At(topology.tiers[0].bundle),
              fmt::format("Bundle {} of hosts", topology.tiers[0].bundle.value),
              "hosts with one cable");
  return Builder(topology, shape).Build(shaper.cables());
}

}  // namespace heddle
