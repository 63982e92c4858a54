// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/arguments/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.h"

namespace heddle {
namespace {

/// N of "sample:N", the value of `key`: "flows" or "collectives".
std::uint64_t ParseSample(const std::string& key, const std::string& value) {
  constexpr std::size_t kWord = 7;
  std::uint64_t every = 0;
  const char* begin = value.data() + std::min(value.size(), kWord);
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(begin, end, every);
  if (error != std::errc() || stop != end || every < 1 || every > FlowSample::kMostEvery) {
    throw UsageError(fmt::format(
        "--record {0}={1}: a sample is one {2} in N. Expected: {0}=sample:N, N from 1 to {3}", key,
        Printable(value), key.substr(0, key.size() - 1), FlowSample::kMostEvery));
  }
  return every;
}

/// None for "auto".
std::optional<FlowSample> ParseRows(const std::string& key, const std::string& value) {
  if (value == "auto") return std::nullopt;
  if (value == "all") return FlowSample{1};
  if (value == "none") return FlowSample{0};
  if (value == "sample" || value.rfind("sample:", 0) == 0)
    return FlowSample{ParseSample(key, value)};
  throw UsageError(
      fmt::format("--record {0}={1}: expected {0}=auto, {0}=all, {0}=sample:N or {0}=none", key,
                  Printable(value)));
}

Recording::Choice ParseChoice(const std::string& value) {
  if (value == "auto") return Recording::Choice::kAuto;
  if (value == "all") return Recording::Choice::kAll;
  if (value == "none") return Recording::Choice::kNone;
  throw UsageError("--record timeline=" + Printable(value) +
                   ": expected timeline=auto, timeline=all or timeline=none");
}

}  // namespace

Recording ParseRecording(const std::vector<std::string>& settings) {
  Recording recording;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
    if (key == "flows") {
      recording.flows = ParseRows(key, value);
    } else if (key == "collectives") {
      recording.collectives = ParseRows(key, value);
    } else if (key == "timeline") {
      recording.timeline = ParseChoice(value);
    } else {
      throw UsageError("--record " + Printable(setting) +
                       ": expected flows=, collectives= or timeline= with auto, all or none, or "
                       "flows=sample:N, collectives=sample:N");
    }
  }
  return recording;
}

FlowSample Recording::SampleOf(std::uint64_t planned_flows) const {
  constexpr std::uint64_t kMostFlows = 1'000'000;
  return flows.value_or(FlowSample{planned_flows <= kMostFlows ? 1U : 0U});
}

FlowSample Recording::SampleOfCollectives(std::uint64_t planned) const {
  constexpr std::uint64_t kMostCollectives = 1'000'000;
  return collectives.value_or(
      FlowSample{std::max<std::uint64_t>(1, (planned + kMostCollectives - 1) / kMostCollectives)});
}

bool Recording::KeepsTimeLine(std::uint64_t steps) const {
  constexpr std::uint64_t kMostSteps = 4'000'000;
  return timeline == Choice::kAll || (timeline == Choice::kAuto && steps <= kMostSteps);
}

}  // namespace heddle
