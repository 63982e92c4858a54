// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/waiting_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collectives/phased/chunk_deadlock.h"
#include "core/mpi/gather_records.h"

namespace heddle {

std::string GatherLines(const Communicator& world,
                        const std::vector<std::pair<std::uint32_t, std::string>>& lines,
                        std::int64_t open) {
  std::string mine;
  for (const auto& [number, line] : lines) mine += fmt::format("{:010}  {}\n", number, line);
  std::vector<std::string> all;
  for (const std::vector<char>& part : world.Gather({mine.begin(), mine.end()})) {
    for (auto at = part.begin(); at != part.end();) {
      const auto end = std::find(at, part.end(), '\n');
      all.emplace_back(at, end);
      at = end + 1;
    }
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), kMostWaiting));
  std::string text;
  for (const std::string& line : all) text += "\n" + line.substr(10);
  if (open > static_cast<std::int64_t>(kMostWaiting))
    text += fmt::format("\n  ... and {} more", open - static_cast<std::int64_t>(kMostWaiting));
  return text + "\n";
}

namespace {

/// Of all ranks, at the root; empty if there is no such cycle.
std::string GatherChunkDeadlock(const Communicator& world, const FlowCoordinator& coordinator) {
  const std::vector<ChunkStand> stands = GatherRecords(world, coordinator.ChunkStands());
  const std::vector<std::string> lines = coordinator.DescribeChunkDeadlock(stands);
  if (lines.empty()) return "";
  std::string text =
      "chunks wait for each other, as all places are taken (chunks.per_lane, chunks.threshold):";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostWaiting); ++i) text += "\n  " + lines[i];
  if (lines.size() > kMostWaiting)
    text += fmt::format("\n  ... and {} more", lines.size() - kMostWaiting);
  return text + "\n";
}

}  // namespace

std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator) {
  const std::int64_t open = world.Sum(coordinator.gpus()) - world.Sum(coordinator.finished());
  std::vector<std::pair<std::uint32_t, std::string>> lines;
  for (const auto& [gpu, line] : coordinator.Waiting(kMostWaiting))
    lines.emplace_back(gpu.value, line);
  const std::string head =
      fmt::format("{} GPU{} did not come to the end of {} program{}:", open, open == 1 ? "" : "s",
                  open == 1 ? "its" : "their", open == 1 ? "" : "s");
  const std::string gpus = GatherLines(world, lines, open);
  return head + gpus + GatherChunkDeadlock(world, coordinator);
}

}  // namespace heddle
