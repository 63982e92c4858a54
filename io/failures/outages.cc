// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/outages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

using What = FailureEvent::What;

What WhatOf(const std::string& word, const std::string& file) {
  static const std::map<std::string, What> kWords = {{"link_down", What::kLinkDown},
                                                     {"link_up", What::kLinkUp},
                                                     {"link_rate", What::kLinkRate},
                                                     {"node_down", What::kNodeDown},
                                                     {"node_up", What::kNodeUp}};
  const auto found = kWords.find(word);
  if (found == kWords.end()) {
    FailInput({file, 0}, fmt::format("table failures: event '{}'", Printable(word)),
              "link_down, link_up, link_rate, node_down or node_up");
  }
  return found->second;
}

bool IsNode(const FailureEvent& event) {
  return event.what == What::kNodeDown || event.what == What::kNodeUp;
}

std::vector<FailureEvent> ReadEvents(const ReportSource& source) {
  const Table table = source.reader().ReadTable("failures");
  const auto& time = GetColumn<std::int64_t>(table, "time_ps");
  const auto& word = GetColumn<std::string>(table, "event");
  const auto& node = GetColumn<std::uint32_t>(table, "node");
  const auto& peer = GetColumn<std::int64_t>(table, "peer");
  const auto& cable = GetColumn<std::int64_t>(table, "cable");
  const auto& rate = GetColumn<std::int64_t>(table, "rate_bps");
  std::vector<FailureEvent> events;
  for (std::size_t i = 0; i < time.size(); ++i) {
    FailureEvent event;
    event.time = Time{time[i]};
    event.what = WhatOf(word[i], source.path());
    event.a = NodeId(node[i]);
    if (!IsNode(event)) event.b = NodeId(static_cast<std::uint32_t>(peer[i]));
    if (!IsNode(event) && cable[i] >= 0) event.cable = static_cast<std::uint32_t>(cable[i]);
    event.rate = BitRate{rate[i]};
    event.where = {source.path(), 0};
    events.push_back(event);
  }
  return events;
}

/// The links of an event that fits the graph, ascending.
std::vector<LinkId> LinksOfEvent(const Graph& graph, const FailureEvent& event) {
  std::vector<LinkId> links;
  std::uint32_t cable = 0;
  for (const Attachment& port : graph.ports(event.a)) {
    if (!IsNode(event) && port.peer != event.b) continue;
    const bool wanted = event.cable == FailureEvent::kAllCables || event.cable == cable;
    if (wanted) links.push_back(port.link);
    ++cable;
  }
  std::sort(links.begin(), links.end());
  return links;
}

Outage::Kind KindOfEvent(const FailureEvent& event) {
  if (IsNode(event)) return Outage::Kind::kNodeDown;
  return event.what == What::kLinkRate ? Outage::Kind::kSlowLink : Outage::Kind::kLinkDown;
}

class OutageList {
 public:
  explicit OutageList(const Graph& graph) : graph_(graph), names_(graph) {}

  void Add(const FailureEvent& event) {
    const Outage::Kind kind = KindOfEvent(event);
    const std::vector<LinkId> links = LinksOfEvent(graph_, event);
    const bool ends = event.what == What::kLinkUp || event.what == What::kNodeUp;
    if (ends || kind == Outage::Kind::kSlowLink) End(event, kind, links);
    if (!ends && IsWorse(event, links)) Begin(event, kind, links);
  }

  std::vector<Outage> Take() { return std::move(all_); }

 private:
  /// Whether a node or a link is down now, or slower than in the healthy fabric.
  bool IsWorse(const FailureEvent& event, const std::vector<LinkId>& links) const {
    if (event.what != What::kLinkRate) return true;
    return std::any_of(links.begin(), links.end(),
                       [&](LinkId link) { return event.rate < graph_.link(link).rate; });
  }

  /// Ends the spells of this kind of which all links come back, or get another rate.
  void End(const FailureEvent& event, Outage::Kind kind, const std::vector<LinkId>& links) {
    for (Outage& outage : all_) {
      OutageSpell& last = outage.spells.back();
      if (outage.kind != kind || last.until_ps >= 0) continue;
      if (kind == Outage::Kind::kNodeDown && node_of_[&outage - all_.data()] != event.a) continue;
      if (std::includes(links.begin(), links.end(), outage.links.begin(), outage.links.end()))
        last.until_ps = event.time.ps;
    }
  }

  void Begin(const FailureEvent& event, Outage::Kind kind, const std::vector<LinkId>& links) {
    const OutageSpell spell{event.time.ps, -1, event.rate.bps};
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].kind != kind || all_[i].links != links || !IsSameNode(event, i)) continue;
      if (all_[i].spells.back().until_ps >= 0) all_[i].spells.push_back(spell);
      return;
    }
    all_.push_back({kind, NameOf(event), links, {spell}});
    node_of_.push_back(IsNode(event) ? event.a : NodeId());
  }

  bool IsSameNode(const FailureEvent& event, std::size_t outage) const {
    return !IsNode(event) || node_of_[outage] == event.a;
  }

  std::string NameOf(const FailureEvent& event) const {
    if (IsNode(event)) return names_.Of(event.a);
    std::string name = names_.Of(event.a) + " - " + names_.Of(event.b);
    if (event.cable != FailureEvent::kAllCables) name += fmt::format(" (cable {})", event.cable);
    return name;
  }

  const Graph& graph_;
  const NodeNames names_;
  std::vector<Outage> all_;
  std::vector<NodeId> node_of_;  ///< by outage; invalid for a link
};

}  // namespace

Outages FindOutages(const Graph& graph, std::vector<FailureEvent> events, std::int64_t end_ps) {
  ExpandFailures(graph, events);  // checks them
  std::stable_sort(events.begin(), events.end(),
                   [](const FailureEvent& a, const FailureEvent& b) { return a.time < b.time; });
  Outages outages;
  OutageList list(graph);
  for (const FailureEvent& event : events) {
    if (event.time.ps > end_ps) {
      ++outages.after_end;
    } else {
      list.Add(event);
    }
  }
  outages.all = list.Take();
  outages.events = std::move(events);
  return outages;
}

Outages ReadOutages(const ReportSource& source) {
  return FindOutages(source.graph(), ReadEvents(source), source.end_ps());
}

std::vector<std::vector<std::uint32_t>> OutagesOfLinks(const std::vector<Outage>& outages,
                                                       std::size_t links) {
  std::vector<std::vector<std::uint32_t>> of_link(links);
  for (std::uint32_t i = 0; i < outages.size(); ++i) {
    for (const LinkId link : outages[i].links) of_link[link.value].push_back(i);
  }
  return of_link;
}

}  // namespace heddle
