// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/table.h"
#include "io/failures/failure_costs.h"

namespace heddle {
namespace {

using Operation = std::pair<std::uint32_t, std::int64_t>;  // job, number within it

constexpr std::int64_t kAnyGroup = -1;

struct Held {
  std::uint32_t outage = 0;
  std::int64_t messages = 0;
};
using HeldGroups = std::map<std::pair<Operation, std::int64_t>, Held>;  // by operation and group

/// The groups of GPUs in the operations that messages were held up in.
class GroupsOfGpus {
 public:
  GroupsOfGpus(const ReportSource& source, const std::set<Operation>& asked) {
    if (asked.empty() || !source.HasRows("steps")) return;
    ForEachBlock(source.reader(), "steps", {"job", "gpu", "operation", "group"},
                 [&](const Table& block) {
                   const auto& job = GetColumn<std::uint32_t>(block, "job");
                   const auto& gpu = GetColumn<std::uint32_t>(block, "gpu");
                   const auto& operation = GetColumn<std::int64_t>(block, "operation");
                   const auto& group = GetColumn<std::int64_t>(block, "group");
                   for (std::size_t i = 0; i < job.size(); ++i) {
                     const Operation of{job[i], operation[i]};
                     if (asked.count(of) > 0) groups_[{of, gpu[i]}] = group[i];
                   }
                 });
  }

  /// kAnyGroup if it is not known.
  std::int64_t Of(const Operation& operation, std::uint32_t gpu) const {
    const auto found = groups_.find({operation, gpu});
    return found == groups_.end() ? kAnyGroup : found->second;
  }

 private:
  std::map<std::pair<Operation, std::uint32_t>, std::int64_t> groups_;
};

HeldGroups FindHeldGroups(const ReportSource& source, const FlowLosses& losses) {
  const Table& flows = losses.flows();
  const auto& src = GetColumn<std::uint32_t>(flows, "src");
  const auto& dst = GetColumn<std::uint32_t>(flows, "dst");
  const auto& job = GetColumn<std::uint16_t>(flows, "job");
  const auto& operation = GetColumn<std::uint32_t>(flows, "operation");
  const auto is_held = [&](std::size_t row) {
    const FlowFate& fate = losses.fates()[row];
    return fate.outage != FlowFate::kNoOutage && fate.kind == FlowFate::Kind::kOnIt;
  };
  std::set<Operation> asked;
  for (std::size_t row = 0; row < src.size(); ++row) {
    if (is_held(row)) asked.insert({job[row], operation[row]});
  }
  const GroupsOfGpus groups(source, asked);
  HeldGroups held;
  for (std::size_t row = 0; row < src.size(); ++row) {
    if (!is_held(row)) continue;
    const Operation of{job[row], operation[row]};
    const bool from_gpu = source.graph().is_gpu(NodeId(src[row]));
    const auto [entry, is_new] =
        held.try_emplace({of, groups.Of(of, from_gpu ? src[row] : dst[row])});
    if (is_new) entry->second.outage = losses.fates()[row].outage;
    ++entry->second.messages;
  }
  return held;
}

/// Collectives that take as long where nothing holds them up: job, kind, group type, size, ranks
/// and algorithm.
using Likeness = std::tuple<std::uint32_t, std::string, std::string, std::string, std::int64_t,
                            std::uint32_t, std::string, std::string>;

class Collectives {
 public:
  explicit Collectives(const ReportSource& source)
      : table_(source.reader().ReadTable("collectives")) {}

  std::size_t size() const { return Column<std::uint32_t>("job").size(); }
  Operation operation(std::size_t i) const {
    return {Column<std::uint32_t>("job")[i], Column<std::uint32_t>("operation")[i]};
  }
  std::int64_t group(std::size_t i) const { return Column<std::uint32_t>("group")[i]; }
  std::int64_t time(std::size_t i) const { return Column<std::int64_t>("time_ps")[i]; }
  Likeness likeness(std::size_t i) const {
    const auto text = [&](const char* name) { return Column<std::string>(name)[i]; };
    return {Column<std::uint32_t>("job")[i],
            text("phase"),
            text("op"),
            text("group_type"),
            Column<std::int64_t>("bytes")[i],
            Column<std::uint32_t>("ranks")[i],
            text("algorithm"),
            text("protocol")};
  }
  std::string name(std::size_t i) const {
    const auto text = [&](const char* name) { return Column<std::string>(name)[i]; };
    return fmt::format("job {}: {} {} of {}, layer {}, group {}", Column<std::uint32_t>("job")[i],
                       text("phase"), text("op"), text("group_type"),
                       Column<std::uint32_t>("layer")[i], group(i));
  }

 private:
  template <class T>
  const std::vector<T>& Column(const char* name) const {
    return GetColumn<T>(table_, name);
  }

  Table table_;
};

const Held* FindHeld(const HeldGroups& held, const Collectives& all, std::size_t row) {
  auto found = held.find({all.operation(row), all.group(row)});
  // Time lines lack collectives that did not end, and may be off.
  if (found == held.end()) found = held.find({all.operation(row), kAnyGroup});
  return found == held.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<HeldCollective> FindHeldCollectives(const ReportSource& source,
                                                const FlowLosses& losses) {
  std::vector<HeldCollective> found;
  if (!source.HasRows("collectives") || !source.HasColumn("flows", "operation")) return found;
  const HeldGroups held = FindHeldGroups(source, losses);
  if (held.empty()) return found;
  const Collectives all(source);
  std::map<Likeness, std::vector<std::int64_t>> times;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (FindHeld(held, all, row) != nullptr) {
      rows.push_back(row);
      times[all.likeness(row)];
    }
  }
  for (std::size_t row = 0; row < all.size(); ++row) {
    const auto alike = times.find(all.likeness(row));
    if (alike != times.end() && all.time(row) >= 0 && FindHeld(held, all, row) == nullptr)
      alike->second.push_back(all.time(row));
  }
  for (const std::size_t row : rows) {
    const Held* by = FindHeld(held, all, row);
    HeldCollective one{by->outage, all.name(row), by->messages, all.time(row), -1, 0};
    std::vector<std::int64_t>& alike = times[all.likeness(row)];
    one.alike = alike.size();
    if (!alike.empty()) {
      const auto middle = alike.begin() + static_cast<std::ptrdiff_t>(alike.size() / 2);
      std::nth_element(alike.begin(), middle, alike.end());
      one.alike_ps = *middle;
    }
    found.push_back(std::move(one));
  }
  std::stable_sort(
      found.begin(), found.end(), [](const HeldCollective& a, const HeldCollective& b) {
        const auto key = [](const HeldCollective& one) {
          const std::int64_t late = one.alike_ps < 0 ? one.time_ps : one.time_ps - one.alike_ps;
          return std::make_pair(one.time_ps >= 0, -late);
        };
        return key(a) < key(b);
      });
  return found;
}

}  // namespace heddle
