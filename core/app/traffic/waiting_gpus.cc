// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/traffic/waiting_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace heddle {

std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator) {
  constexpr std::size_t kMostLines = 10;
  const std::int64_t open = world.Sum(coordinator.gpus()) - world.Sum(coordinator.finished());
  std::string mine;
  for (const auto& [gpu, line] : coordinator.Waiting(kMostLines))
    mine += fmt::format("{:010}  {}\n", gpu.value, line);
  std::vector<std::string> lines;
  for (const std::vector<char>& part : world.Gather({mine.begin(), mine.end()})) {
    for (auto at = part.begin(); at != part.end();) {
      const auto end = std::find(at, part.end(), '\n');
      lines.emplace_back(at, end);
      at = end + 1;
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.resize(std::min(lines.size(), kMostLines));
  std::string text =
      fmt::format("{} GPU{} did not come to the end of {} program{}:", open, open == 1 ? "" : "s",
                  open == 1 ? "its" : "their", open == 1 ? "" : "s");
  for (const std::string& line : lines) text += "\n" + line.substr(10);
  if (open > static_cast<std::int64_t>(kMostLines))
    text += fmt::format("\n  ... and {} more", open - kMostLines);
  return text + "\n";
}

}  // namespace heddle
