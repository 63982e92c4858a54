// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace heddle {
namespace {

/// cgroup version 1 expresses "no limit" by a number near the largest integer.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

void Tighten(MemoryRoom* room, std::int64_t bytes, const std::string& bound) {
  bytes = std::max<std::int64_t>(bytes, 0);
  if (bytes < room->bytes) *room = {bytes, bound};
}

/// The number in a file; none if the file has no number ("max") or does not exist.
std::optional<std::int64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The number after a name in a file of names and numbers, in the file's unit; 0 if the name is
/// missing.
std::int64_t ReadNamed(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string found;
    std::int64_t number = 0;
    if (words >> found >> number && found == name) return number;
  }
  return 0;
}

/// The file names of one version of control groups.
struct GroupFiles {
  const char *mount, *limit, *used, *reclaimable;
};
constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                  "/memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "/memory.max", "/memory.current",
                                  "inactive_file"};

/// Applies the limits of a group and of its ancestors, up to the root. A container sees its own
/// group as the root, under any path.
void TightenByGroups(const std::string& root, const GroupFiles& files, std::string group,
                     MemoryRoom* room) {
  for (;;) {
    if (group == "/") group.clear();
    const std::string folder = root + files.mount + group;
    const auto limit = ReadNumber(folder + files.limit), used = ReadNumber(folder + files.used);
    if (limit && used && *limit < kNoLimit) {
      const std::int64_t reclaimable = ReadNamed(folder + "/memory.stat", files.reclaimable);
      Tighten(room, *limit - *used + std::min(reclaimable, *used),
              "control group " + (group.empty() ? "/" : group));
    }
    if (group.empty()) return;
    group.erase(group.find_last_of('/'));
  }
}

std::int64_t RoomUnder(int resource, std::int64_t used) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kNoLimit)) - used;
}

}  // namespace

MemoryRoom RoomOfNode(const std::string& root) {
  MemoryRoom room;
  const std::int64_t available_kib = ReadNamed(root + "/proc/meminfo", "MemAvailable:");
  if (available_kib > 0) Tighten(&room, available_kib * 1024, "free on this node");
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" (version 2), "4:memory:/path" or "4:cpu,memory:/path" (version 1).
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/')
      continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    if (controllers == ",,") TightenByGroups(root, kVersion2, path, &room);
    if (controllers.find(",memory,") != std::string::npos)
      TightenByGroups(root, kVersion1, path, &room);
  }
  return room;
}

MemoryRoom RoomOfProcess(const ProcessMemory& now) {
  MemoryRoom room;
  Tighten(&room, RoomUnder(RLIMIT_AS, now.address_space), "ulimit -v");
  Tighten(&room, RoomUnder(RLIMIT_DATA, now.data), "ulimit -d");
  return room;
}

MemoryDemand DemandOnNode(const Communicator& world, std::int64_t mine) {
  MemoryDemand demand;
  demand.mine = mine;
  const auto [sum, ranks] = world.SumOnNode(mine);
  demand.node = sum;
  demand.ranks_here = ranks;
  demand.node_room = RoomOfNode();
  demand.process_room = RoomOfProcess(ReadProcessMemory());
  return demand;
}

}  // namespace heddle
