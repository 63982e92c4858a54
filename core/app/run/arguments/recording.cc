// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.h"

namespace heddle {
namespace {

/// N of "WORD:N", the value of `key`. Throws UsageError that says what N is.
std::uint64_t NumberBehind(const std::string& word, const std::string& key,
                           const std::string& value, std::uint64_t most, const std::string& what) {
  std::uint64_t number = 0;
  const char* begin = value.data() + std::min(value.size(), word.size() + 1);
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end || number < 1 || number > most) {
    throw UsageError(fmt::format("--record {0}={1}: {2}. Expected: {0}={3}:N, N from 1 to {4}", key,
                                 Printable(value), what, word, most));
  }
  return number;
}

bool IsWord(const std::string& value, const std::string& word) {
  return value == word || value.rfind(word + ':', 0) == 0;
}

/// None for "auto".
std::optional<FlowSample> ParseRows(const std::string& key, const std::string& value) {
  if (value == "auto") return std::nullopt;
  if (value == "all") return FlowSample{1};
  if (value == "none") return FlowSample{0};
  if (IsWord(value, "sample")) {
    const std::string one = key.substr(0, key.size() - 1);
    return FlowSample{NumberBehind("sample", key, value, FlowSample::kMostEvery,
                                   "a sample is one " + one + " in N")};
  }
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
    if (key == "flows" && value != "auto" && IsWord(value, "auto")) {
      constexpr std::uint64_t kMost = 1'000'000'000'000;
      recording.flows = std::nullopt;
      recording.most_flows = NumberBehind("auto", key, value, kMost, "all of up to N flows");
    } else if (key == "flows") {
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
  return flows.value_or(FlowSample{planned_flows <= most_flows ? 1U : 0U});
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
