// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "io/step/step_verdict.h"

namespace heddle {
namespace {

/// Where a message has a part of a GPU's rate only: how to use all of it.
std::string PortsHint(const FabricStep& best, const FabricStep& other) {
  if (other.gpu_ports <= best.gpu_ports || other.queue_pairs >= other.gpu_ports) return "";
  return fmt::format(
      " A message takes one of the {} ports of its GPU, at {:.4g} Gbit/s; nic.ports=round-robin "
      "with nic.qps_per_connection={} uses all.",
      other.gpu_ports, other.gpu_rate / 1e9 / other.gpu_ports, other.gpu_ports);
}

}  // namespace

std::size_t LastToEnd(const std::vector<StepExplanation>& jobs) {
  const auto last = std::max_element(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.end_ps, b.job) < std::tie(b.end_ps, a.job);
  });
  return static_cast<std::size_t>(last - jobs.begin());
}

std::vector<std::int64_t> WorkOf(const Table& jobs, const Table& operations) {
  std::vector<std::int64_t> work;
  for (const char* column : {"gpus", "passes"}) {
    for (const std::uint32_t value : GetColumn<std::uint32_t>(jobs, column)) work.push_back(value);
  }
  const auto& sizes = GetColumn<std::int64_t>(operations, "bytes");
  std::int64_t bytes = 0;
  for (const std::int64_t size : sizes) bytes += size;
  work.push_back(static_cast<std::int64_t>(sizes.size()));
  work.push_back(bytes);
  return work;
}

std::vector<std::string> FindingsOf(const std::vector<std::string>& names,
                                    const std::vector<StepExplanation>& steps) {
  if (steps.empty()) return {};
  if (steps.size() == 1) return {CriticalPathLine(steps.front()) + "."};
  const auto best = static_cast<std::size_t>(
      std::min_element(steps.begin(), steps.end(),
                       [](const auto& a, const auto& b) { return a.span_ps() < b.span_ps(); }) -
      steps.begin());
  std::vector<std::string> findings;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != best)
      findings.push_back(StepVerdict(names[best], steps[best], names[i], steps[i]) + ".");
  }
  return findings;
}

std::string FabricVerdict(const FabricStep& best, const FabricStep& other) {
  std::string verdict = StepVerdict(best.name, *best.step, other.name, *other.step);
  const bool equal = other.step->span_ps() == best.step->span_ps();
  if (equal && best.above_leaves == 0 && other.above_leaves == 0)
    verdict += ": no byte passes above the leaves in either";
  return verdict + "." + (equal ? "" : PortsHint(best, other));
}

}  // namespace heddle
