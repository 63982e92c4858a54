// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "collectives/job/gpu_list.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

constexpr Placement kPlacements[] = {Placement::kPacked, Placement::kRandom, Placement::kRoundRobin,
                                     Placement::kList};
constexpr std::uint32_t kMostPasses = 1'000'000;
constexpr const char* kUsage =
    "workload=FILE, goal=FILE or "
    "nccl-log=PATH[,gpus=0-63][,start=0ms][,placement=packed][,passes=1][,priority=3]";

[[noreturn]] void Fail(std::string_view key, std::string_view value, const std::string& expected) {
  throw UsageError(fmt::format("--job: {} '{}'. Expected: {}", key, Printable(value), expected));
}

Placement ParsePlacement(std::string_view value) {
  std::vector<std::string> names;
  for (const Placement placement : kPlacements) {
    if (value == ToText(placement)) return placement;
    names.emplace_back(ToText(placement));
  }
  Fail("placement", value,
       fmt::format("{}{}", fmt::join(names, ", "), NearestIs(value.substr(0, 60), names)));
}

Time ParseStart(std::string_view value) {
  Time start;
  try {
    start = ParseTime(value);
  } catch (const UserError&) {
    Fail("start", value, "a time with its unit, such as 0ms or 1.5us");
  }
  if (start > kLatestStart) Fail("start", value, "at most 26 days");
  return start;
}

std::uint32_t ParsePasses(std::string_view value) {
  std::uint32_t passes = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, passes);
  if (error != std::errc() || stop != end || passes < 1 || passes > kMostPasses) {
    Fail("passes", value, fmt::format("an integer from 1 to {}", kMostPasses));
  }
  return passes;
}

std::uint8_t ParsePriority(std::string_view value) {
  if (value.size() != 1 || value[0] < '1' || value[0] > '7')
    Fail("priority", value, "an integer from 1 to 7");
  return static_cast<std::uint8_t>(value[0] - '0');
}

void Set(std::string_view key, std::string_view value, JobSpec* spec) {
  if (key == "workload" || key == "goal" || key == "nccl-log") {
    if (!spec->workload.empty())
      Fail("a second file", value, "workload=FILE, goal=FILE or nccl-log=PATH, once a job");
    spec->workload = value;
    spec->source = key == "goal"       ? JobSpec::Source::kSchedule
                   : key == "nccl-log" ? JobSpec::Source::kNcclLog
                                       : JobSpec::Source::kWorkload;
  } else if (key == "gpus") {
    if (!ParseGpuList(value)) Fail(key, value, kGpuListForms);
    spec->gpus = value;
  } else if (key == "start") {
    spec->start = ParseStart(value);
  } else if (key == "placement") {
    spec->placement = ParsePlacement(value);
  } else if (key == "passes") {
    spec->passes = ParsePasses(value);
  } else if (key == "priority") {
    spec->priority = ParsePriority(value);
  } else {
    const std::vector<std::string> known = {"workload", "goal",      "nccl-log", "gpus",
                                            "start",    "placement", "passes",   "priority"};
    Fail("unknown key", key, kUsage + NearestIs(key.substr(0, 60), known));
  }
}

}  // namespace

const char* ToText(Placement placement) {
  switch (placement) {
    case Placement::kPacked:
      return "packed";
    case Placement::kRandom:
      return "random";
    case Placement::kRoundRobin:
      return "round-robin";
    case Placement::kList:
      return "list";
  }
  return "";
}

JobSpec ParseJobSpec(const std::string& text) {
  JobSpec spec;
  std::vector<std::string_view> given;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      Fail("item", item, fmt::format("KEY=VALUE, as in {}", kUsage));
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    if (value.empty()) Fail("no value for", key, kUsage);
    if (std::find(given.begin(), given.end(), key) != given.end())
      Fail("twice", key, "each key once");
    Set(key, value, &spec);
    given.push_back(key);
  }
  if (spec.workload.empty()) Fail("no workload in", text, kUsage);
  if (spec.source != JobSpec::Source::kWorkload && spec.passes != 1)
    Fail("passes with", spec.workload, "no passes, as a schedule or a log runs once");
  if (spec.placement == Placement::kList &&
      (spec.gpus.empty() || !ParseGpuList(spec.gpus)->ranges.size())) {
    Fail("placement=list with gpus", spec.gpus, "the GPUs in their order, such as gpus=3-3+0-2");
  }
  return spec;
}

}  // namespace heddle
