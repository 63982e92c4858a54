// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/profile_file.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/file_digest.h"
#include "core/base/check.h"
#include "io/input/file_kind.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "heddle profile";
constexpr int kDeepest = 8;  ///< a profile has four levels

/// The list of numbers that `get` extracts from `records`.
template <class Record, class Get>
Json Listed(const std::vector<Record>& records, Get&& get) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(get(record));
  return list;
}

Json SampleJson(const RunProfile::Sample& sample) {
  return {{"start_ps", sample.start.ps},
          {"domains", Listed(sample.runs, [](const RunProfile::Run& run) { return run.domain; })},
          {"events", Listed(sample.runs, [](const RunProfile::Run& run) { return run.events; })}};
}

Json StreamsJson(const std::vector<RunProfile::Stream>& streams) {
  using Stream = RunProfile::Stream;
  return {{"from", Listed(streams, [](const Stream& s) { return s.from; })},
          {"to", Listed(streams, [](const Stream& s) { return s.to; })},
          {"count", Listed(streams, [](const Stream& s) { return std::llround(s.messages); })}};
}

/// Reads one file; every error message names the file and the key.
class Reader {
 public:
  Reader(const std::string& path, const Json& json) : path_(path), json_(json) {}

  RunProfile Read() const {
    RunProfile profile;
    profile.topology_digest = Get<std::string>(json_, "topology_digest");
    profile.contraction = Time{Count(json_, "contraction_ps")};
    profile.grain = static_cast<std::uint32_t>(Count(json_, "grain", UINT32_MAX));
    profile.grain_ranks = static_cast<std::uint32_t>(Count(json_, "grain_ranks", UINT32_MAX));
    profile.lookahead = Time{Count(json_, "lookahead_ps")};
    profile.record_bytes = static_cast<std::uint32_t>(Count(json_, "record_bytes", UINT32_MAX));
    profile.windows = static_cast<std::uint64_t>(Count(json_, "windows"));
    profile.end = Time{Count(json_, "end_ps")};
    profile.wall_seconds = Number(json_, "wall_seconds");
    profile.ranks = static_cast<std::uint32_t>(Count(json_, "ranks", UINT32_MAX));
    profile.edge_ns = Number(json_, "edge_ns");
    const Json domains = Get<Json>(json_, "domains");
    profile.events = Numbers(domains, "events");
    profile.measured_events = Numbers(domains, "measured_events");
    profile.measured_ns = Numbers(domains, "measured_ns");
    if (profile.events.empty() || profile.lookahead.ps == 0)
      Fail("domains", "at least one domain, and a lookahead above 0");
    for (const auto* measured : {&profile.measured_events, &profile.measured_ns}) {
      if (measured->size() != profile.events.size())
        Fail("domains", "as many values of one kind as of the others");
    }
    ReadSamples(&profile);
    if (profile.samples.empty())
      Fail("samples", "at least one window: the profiled run ended before anything happened");
    ReadStreams(&profile);
    return profile;
  }

 private:
  [[noreturn]] void Fail(const std::string& key, const std::string& expected) const {
    throw UserError(fmt::format("{}: \"{}\" is missing, or not what it should be. Expected: {}",
                                path_, key, expected));
  }

  template <class T>
  T Get(const Json& object, const char* key) const {
    try {
      return object.at(key).get<T>();
    } catch (const Json::exception&) {
      Fail(key, "a profile written by heddle run --profile");
    }
  }

  double Number(const Json& object, const char* key) const {
    const double value = Get<double>(object, key);
    if (!std::isfinite(value) || value < 0) Fail(key, "a number from 0 on");
    return value;
  }

  std::int64_t Count(const Json& object, const char* key, std::int64_t most = INT64_MAX) const {
    return Whole(Get<Json>(object, key), key, most);
  }

  /// Rejects fractions, and numbers that are too large for the type.
  std::int64_t Whole(const Json& value, const char* key, std::int64_t most) const {
    const std::int64_t count = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (count < 0 || count > most) Fail(key, "whole numbers from 0 to " + std::to_string(most));
    return count;
  }
  std::vector<std::uint32_t> WholeNumbers(const Json& object, const char* key) const {
    std::vector<std::uint32_t> numbers;
    for (const Json& value : Get<std::vector<Json>>(object, key)) {
      numbers.push_back(static_cast<std::uint32_t>(Whole(value, key, UINT32_MAX)));
    }
    return numbers;
  }

  std::vector<double> Numbers(const Json& object, const char* key) const {
    std::vector<double> numbers = Get<std::vector<double>>(object, key);
    for (const double number : numbers) {
      if (!std::isfinite(number) || number < 0) Fail(key, "numbers from 0 on");
    }
    return numbers;
  }

  /// Values that are indices of domains.
  std::vector<std::uint32_t> Domains(const Json& object, const char* key,
                                     std::size_t domains) const {
    std::vector<std::uint32_t> list = WholeNumbers(object, key);
    for (const std::uint32_t domain : list) {
      if (domain >= domains) Fail(key, "domains of the profile, counted from 0");
    }
    return list;
  }

  void ReadSamples(RunProfile* profile) const {
    for (const Json& json : Get<std::vector<Json>>(json_, "samples")) {
      RunProfile::Sample sample;
      sample.start = Time{Count(json, "start_ps")};
      const auto domains = Domains(json, "domains", profile->events.size());
      const auto events = WholeNumbers(json, "events");
      if (domains.size() != events.size()) Fail("samples", "as many events as domains in each");
      for (std::size_t i = 0; i < domains.size(); ++i)
        sample.runs.push_back({domains[i], events[i]});
      profile->samples.push_back(std::move(sample));
    }
  }

  void ReadStreams(RunProfile* profile) const {
    const Json messages = Get<Json>(json_, "messages");
    const auto from = Domains(messages, "from", profile->events.size());
    const auto to = Domains(messages, "to", profile->events.size());
    const auto count = Numbers(messages, "count");
    if (from.size() != to.size() || to.size() != count.size())
      Fail("messages", "as many values of one kind as of the others");
    for (std::size_t i = 0; i < from.size(); ++i) {
      profile->streams.push_back({from[i], to[i], count[i]});
    }
  }

  const std::string& path_;
  const Json& json_;
};

}  // namespace

std::string ProfileText(const RunProfile& profile) {
  Json json = {{"format", kFormat},
               {"version", kProfileVersion},
               {"program", VersionText()},
               {"topology_digest", profile.topology_digest},
               {"contraction_ps", profile.contraction.ps},
               {"grain", profile.grain},
               {"grain_ranks", profile.grain_ranks},
               {"lookahead_ps", profile.lookahead.ps},
               {"record_bytes", profile.record_bytes},
               {"ranks", profile.ranks},
               {"windows", profile.windows},
               {"end_ps", profile.end.ps},
               {"wall_seconds", profile.wall_seconds},
               {"edge_ns", profile.edge_ns},
               {"domains",
                {{"events", profile.events},
                 {"measured_events", profile.measured_events},
                 {"measured_ns", profile.measured_ns}}},
               {"messages", StreamsJson(profile.streams)},
               {"samples", Listed(profile.samples, SampleJson)}};
  return json.dump() + "\n";
}

RunProfile ReadProfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw UserError(path + ": cannot be read. Expected: a profile written by heddle run --profile");
  // Copying and printing JSON recurse once a level. Values deeper than any profile are dropped, and
  // then reported as missing.
  const auto keep = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    return depth <= kDeepest;
  };
  const Json json = Json::parse(file, keep, false);
  if (!json.is_object() || json.value("format", Json()) != kFormat) {
    throw UserError(path + ": not a profile. Expected: a file written by heddle run --profile");
  }
  if (json.value("version", Json()) != kProfileVersion) {
    throw UserError(fmt::format("{}: a profile of version {}. Expected: version {}", path,
                                Printable(json.value("version", Json()).dump()), kProfileVersion));
  }
  return Reader(path, json).Read();
}

RunProfile ReadProfileOf(const std::string& path, const std::string& topology) {
  RunProfile profile = ReadAs(FileKind::kProfile, path, [&path] { return ReadProfile(path); });
  if (profile.topology_digest != FileDigest(topology)) {
    throw UserError(fmt::format(
        "{}: the profile of another topology than {}. Expected: one recorded with -n {}", path,
        topology, topology));
  }
  return profile;
}

}  // namespace heddle
