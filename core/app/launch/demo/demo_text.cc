// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/demo/demo_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/app/launch/fabrics/fabric_text.h"
#include "core/app/launch/sweep/shell_line.h"

namespace heddle {
namespace {

constexpr double kMicrosecond = 1e6;  // [ps]

std::string CommandLine(const char* command, const std::vector<std::string>& arguments) {
  return fmt::format("  heddle {} {}\n", command, ShellLine(arguments));
}

const FabricResult& SlowestOf(const std::vector<FabricResult>& results) {
  return *std::max_element(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return a.figures.step_ps < b.figures.step_ps;
  });
}

/// The part of the step in which the two differ most; empty if they are equal.
std::string LargestDifference(const FabricResult& best, const FabricResult& slow) {
  std::size_t largest = 0;
  const auto longer = [&](std::size_t part) {
    return slow.figures.shares[part].ps - best.figures.shares[part].ps;
  };
  for (std::size_t part = 1; part < best.figures.shares.size(); ++part) {
    if (longer(part) > longer(largest)) largest = part;
  }
  if (longer(largest) <= 0) return "";
  return fmt::format(
      "  the row \"{}\" above, where they differ most: {:.1f} us on {}, {:.1f} us on {}\n",
      best.figures.shares[largest].name, best.figures.shares[largest].ps / kMicrosecond,
      best.fabric.name, slow.figures.shares[largest].ps / kMicrosecond, slow.fabric.name);
}

}  // namespace

std::string DemoHead(const DemoPlan& plan) {
  return fmt::format(
      "One training step of a small model, on two fabrics for as many GPUs. By hand:\n\n"
      "  mkdir -p {}\n  heddle workload {} > {}\n{}\n",
      ShellLine({plan.folder}), ShellLine(plan.workload), ShellLine({plan.step}),
      CommandLine("compare-fabrics", plan.comparison));
}

std::string DemoNext(const DemoPlan& plan, const Comparison& made, const std::string& guide) {
  const FabricResult& best = made.results[BestOf(made.results)];
  const FabricResult& slow = SlowestOf(made.results);
  std::string text = fmt::format(
      "\nLook at\n  {} in a browser: both runs side by side; Layers says when GPUs "
      "waited, Hottest links where\n{}",
      made.page, LargestDifference(best, slow));
  text += fmt::format("\nWhat the last GPU on {} waited for, piece by piece\n", slow.fabric.name) +
          CommandLine("analyze", {"step", slow.result});
  text += "Its fullest links, and whose flows were on them\n" +
          CommandLine("analyze", {"links", slow.result, "--top", "3"});
  text += "Whether it helps to cut each message over 16 paths\n" +
          CommandLine("compare-fabrics", plan.variant);
  text += "A model and fabrics of your own\n" + CommandLine("workload", {"--help"}) +
          CommandLine("topo", {"--help"});
  if (!guide.empty()) text += fmt::format("The guide\n  {}\n", guide);
  return text;
}

}  // namespace heddle
