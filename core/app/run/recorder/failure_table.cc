// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/failure_table.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/make_column.h"

namespace heddle {
namespace {

constexpr std::int64_t kNone = -1;

const char* WordOf(FailureEvent::What what) {
  switch (what) {
    case FailureEvent::What::kLinkDown:
      return "link_down";
    case FailureEvent::What::kLinkUp:
      return "link_up";
    case FailureEvent::What::kLinkRate:
      return "link_rate";
    case FailureEvent::What::kNodeDown:
      return "node_down";
    case FailureEvent::What::kNodeUp:
      return "node_up";
  }
  return "";
}

bool IsOfNode(const FailureEvent& event) {
  return event.what == FailureEvent::What::kNodeDown || event.what == FailureEvent::What::kNodeUp;
}

}  // namespace

Table FailureTable(std::vector<FailureEvent> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const FailureEvent& x, const FailureEvent& y) { return x.time < y.time; });
  RecordTable<FailureEvent> table("failures", "links and nodes that failed, came back or changed",
                                  std::move(events));
  table.Add<std::int64_t>("time_ps", "ps", "simulated time; may lie after the traffic",
                          [](const FailureEvent& e) { return e.time.ps; });
  table.Add<std::string>("event", "1", "link_down, link_up, link_rate, node_down, node_up",
                         [](const FailureEvent& e) { return std::string(WordOf(e.what)); });
  table.Add<std::uint32_t>("node", "1", "the node, or one end of the link",
                           [](const FailureEvent& e) { return e.a.value; });
  table.Add<std::int64_t>(
      "peer", "1", "the other end of the link; -1: the event is of a node",
      [](const FailureEvent& e) { return IsOfNode(e) ? kNone : std::int64_t{e.b.value}; });
  table.Add<std::int64_t>("cable", "1",
                          "which of parallel cables, from 0; -1: all of them, or all of a node",
                          [](const FailureEvent& e) {
                            const bool all = IsOfNode(e) || e.cable == FailureEvent::kAllCables;
                            return all ? kNone : std::int64_t{e.cable};
                          });
  table.Add<std::int64_t>("rate_bps", "bit/s", "link_rate: the new rate; otherwise 0",
                          [](const FailureEvent& e) { return e.rate.bps; });
  return table.Take();
}

}  // namespace heddle
