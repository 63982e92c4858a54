// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of profiles (JSON): an accepted profile can be written and read again, and gives weights
/// for the domains of a fabric or an error.
#include "core/app/run/setup/profile_file.h"
#include "core/base/check.h"
#include "partition/partition.h"
#include "partition/scaling.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"

namespace heddle {
namespace {

/// A profile of the small graph, as a run would write it.
RunProfile Sound() {
  const Domains domains = MakeDomains(SmallGraph(), {});
  const std::size_t count = domains.nodes.size();
  RunProfile profile;
  profile.topology_digest = "0123456789abcdef";
  profile.lookahead = NanoSeconds(500);
  profile.windows = 4;
  profile.end = MicroSeconds(2);
  profile.wall_seconds = 0.25;
  profile.edge_ns = 100.5;
  for (std::size_t i = 0; i < count; ++i) {
    profile.events.push_back(static_cast<double>(10 * i + 1));
    profile.measured_events.push_back(static_cast<double>(i));
    profile.measured_ns.push_back(80.0 * static_cast<double>(i));
    profile.streams.push_back(
        {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + 1) % count), 3});
  }
  profile.samples = {
      {Time{0}, {{0, 3}, {1, 4}}}, {NanoSeconds(500), {{0, 1}}}, {NanoSeconds(1500), {}}};
  return profile;
}

void CheckProfile(const RunProfile& profile, const std::string& path) {
  const std::string text = ProfileText(profile);
  PutBytes(path, text);
  if (ProfileText(ReadProfile(path)) != text)
    Complain("a profile that is not the same when it is written and read");
}

void CheckUse(const RunProfile& profile) {
  const Domains domains = MakeDomains(SmallGraph(), {});
  const std::vector<std::int64_t> weights = MeasuredWeights(profile, SmallGraph(), domains);
  if (weights.size() != domains.nodes.size()) Complain("not a weight a domain");
  for (const std::int64_t weight : weights) {
    if (weight < 1) Complain("a weight below 1");
  }
  AssignDomains(SmallGraph(), domains, 2, "metis", 1, weights);
}

bool Check(const std::string& text) {
  const std::string path = ScratchFolder() + "/profile.json";
  PutBytes(path, text);
  RunProfile profile;
  if (!Accepts({path}, [&] { profile = ReadProfile(path); })) return false;
  Accepts({path}, [&] { CheckProfile(profile, path); });
  Accepts({""}, [&] { CheckUse(profile); });
  return true;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "profile";
  reader.check = &Check;
  reader.accepted_one_in = 60;  // half of the corpus has broken the reader before
  // Nested so deeply that a recursive copy or print would overflow the stack.
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  reader.seeds = {ProfileText(Sound()),
                  "{\"format\": \"heddle profile\", \"version\": " + deep + "}"};
  const std::string key = "\"grain\":";
  reader.seeds.push_back(ProfileText(Sound()));
  reader.seeds.back().insert(reader.seeds.back().find(key) + key.size(), deep + ",\"x\":");
  reader.words = {"\"heddle profile\"",
                  "version",
                  "samples",
                  "events",
                  "domains",
                  "messages",
                  "count",
                  "from",
                  "to",
                  "null",
                  "true",
                  "-1",
                  "0.5",
                  "1e308",
                  "1e-320",
                  "18446744073709551615",
                  "4294967295",
                  "9007199254740993",
                  "[]",
                  "{}"};
  return reader;
}

}  // namespace heddle
