// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/worst_ports.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kPeriodsShown = 3;  // of a port

bool IsFuller(const FullPeriod& a, const FullPeriod& b) {
  if (a.flows != b.flows) return a.flows > b.flows;
  const std::int64_t a_length = a.when.until - a.when.from, b_length = b.when.until - b.when.from;
  return a_length != b_length ? a_length > b_length : a.when.from < b.when.from;
}

/// The lowest rows of a period, ascending.
std::vector<std::uint32_t> FirstOf(std::vector<std::uint32_t> flows) {
  std::sort(flows.begin(), flows.end());
  flows.resize(std::min(flows.size(), FullPeriod::kNamed));
  return flows;
}

std::map<HopIndex, FullestPeriods> FindFullest(const CollisionAnalysis& analysis,
                                               const std::vector<HopIndex>& ports) {
  std::map<HopIndex, FullestPeriods> fullest;
  analysis.ForEachPeriod(
      ports, [&](const SharedPeriod& when, const std::vector<std::uint32_t>& flows) {
        FullestPeriods& port = fullest[when.port];
        ++port.all;
        const FullPeriod period{when, flows.size()};
        port.periods.insert(
            std::upper_bound(port.periods.begin(), port.periods.end(), period, IsFuller), period);
        if (port.periods.size() > kPeriodsShown) port.periods.pop_back();
      });
  for (auto& [number, port] : fullest) {
    if (port.periods.front().flows > FullPeriod::kNamed) port.periods.resize(1);
    std::sort(port.periods.begin(), port.periods.end(),
              [](auto& x, auto& y) { return x.when.from < y.when.from; });
  }
  // Lists flows only of the periods shown: a period can have thousands.
  analysis.ForEachPeriod(ports,
                         [&](const SharedPeriod& when, const std::vector<std::uint32_t>& flows) {
                           for (FullPeriod& period : fullest[when.port].periods) {
                             if (period.when.from == when.from) period.first = FirstOf(flows);
                           }
                         });
  return fullest;
}

}  // namespace

WorstPorts FindWorstPorts(const CollisionAnalysis& analysis, std::size_t most) {
  WorstPorts found;
  found.ports = analysis.ports();
  std::vector<PortSharing>& ports = found.ports;
  ports.erase(
      std::remove_if(ports.begin(), ports.end(), [](auto& port) { return port.pairs == 0; }),
      ports.end());
  found.all = ports.size();
  std::stable_sort(ports.begin(), ports.end(), [](auto& a, auto& b) {
    return a.pairs != b.pairs ? a.pairs > b.pairs : a.shared_ps > b.shared_ps;
  });
  ports.resize(std::min(most, found.all));
  std::vector<HopIndex> numbers;
  for (const PortSharing& port : ports) numbers.push_back(port.port);
  if (!numbers.empty()) found.fullest = FindFullest(analysis, numbers);
  return found;
}

}  // namespace heddle
