// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/route_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/check.h"

namespace heddle {

bool RouteEpoch::Affects(NodeId gpu) const {
  const auto& classes = change.classes;
  return std::binary_search(classes.begin(), classes.end(), routes->class_of(gpu)) ||
         std::binary_search(change.moved.begin(), change.moved.end(), gpu) ||
         std::binary_search(change.touched.begin(), change.touched.end(), gpu);
}

RouteTimeline::RouteTimeline(std::shared_ptr<const Routes> initial,
                             const std::vector<LinkEvent>& events, Time convergence) {
  if (convergence < Time{0}) {
    throw UserError(
        fmt::format("a convergence time of {} ps. Expected: zero or more", convergence.ps));
  }
  if (!events.empty() && events.back().time > Time::Max() - convergence) {
    throw UserError(fmt::format(
        "a failure at {} with a convergence time of {}. Expected: below 106 days together",
        ToText(events.back().time), ToText(convergence)));
  }
  std::set<LinkId> down(initial->down().begin(), initial->down().end());
  epochs_.push_back({Time{0}, std::move(initial), {}});
  for (auto event = events.begin(); event != events.end();) {
    const Time time = event->time;
    bool is_change = false;
    for (; event != events.end() && event->time == time; ++event) {
      if (event->kind == LinkEvent::Kind::kRate) continue;
      is_change = true;
      if (event->kind == LinkEvent::Kind::kDown) {
        down.insert(event->link);
      } else {
        down.erase(event->link);
      }
    }
    if (!is_change) continue;
    RouteEpoch epoch;
    epoch.time = time + convergence;
    epoch.routes = std::make_shared<const Routes>(
        epochs_.back().routes->WithDown({down.begin(), down.end()}, &epoch.change));
    epochs_.push_back(std::move(epoch));
  }
}

std::uint32_t RouteTimeline::At(Time time) const {
  HEDDLE_EXPECT(time >= Time{0});
  const auto later =
      std::upper_bound(epochs_.begin(), epochs_.end(), time,
                       [](Time t, const RouteEpoch& epoch) { return t < epoch.time; });
  return static_cast<std::uint32_t>(later - epochs_.begin()) - 1;
}

}  // namespace heddle
