// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/profile_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/mpi/gather_records.h"
#include "core/options/quantity_text.h"

namespace heddle {
namespace {

// A domain's record as it is sent to the root.
struct DomainRecord {
  std::uint32_t domain;
  double events, measured_events, measured_ns;
};
struct RunRow {
  std::uint64_t sample;
  Time start;
  RunProfile::Run run;
};

void GatherDomains(const Communicator& world, const PostOffice& post, const WindowProfile& recorded,
                   RunProfile* profile) {
  std::vector<DomainRecord> mine;
  for (std::size_t i = 0; i < post.domains().size(); ++i) {
    const Domain& domain = *post.domains()[i];
    const WindowProfile::Total total =
        i < recorded.totals().size() ? recorded.totals()[i] : WindowProfile::Total{};
    mine.push_back({domain.id().value, static_cast<double>(domain.events()), total.measured_events,
                    total.measured_ns});
  }
  std::vector<DomainRecord> all = GatherRecords(world, mine);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.domain < b.domain; });
  for (const DomainRecord& record : all) {
    profile->events.push_back(record.events);
    profile->measured_events.push_back(record.measured_events);
    profile->measured_ns.push_back(record.measured_ns);
  }
}

void GatherSamples(const Communicator& world, const PostOffice& post, const WindowProfile& recorded,
                   RunProfile* profile) {
  std::vector<RunRow> mine;
  for (std::size_t i = 0; i < recorded.samples().size(); ++i) {
    const WindowProfile::Sample& sample = recorded.samples()[i];
    for (const WindowProfile::Run& run : sample.runs) {
      mine.push_back({i, sample.start, {post.domains()[run.domain]->id().value, run.events}});
    }
  }
  std::vector<RunRow> all = GatherRecords(world, mine);
  std::sort(all.begin(), all.end(), [](const RunRow& a, const RunRow& b) {
    return a.sample != b.sample ? a.sample < b.sample : a.run.domain < b.run.domain;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].sample != all[i - 1].sample)
      profile->samples.push_back({all[i].start, {}});
    profile->samples.back().runs.push_back(all[i].run);
  }
}

void GatherStreams(const Communicator& world, const Backend& backend, RunProfile* profile) {
  std::vector<RunProfile::Stream> mine;
  for (const DomainStream& stream : backend.Streams())
    mine.push_back({stream.from.value, stream.to.value, stream.messages});
  profile->streams = GatherRecords(world, mine);
  std::sort(profile->streams.begin(), profile->streams.end(), [](const auto& a, const auto& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
}

}  // namespace

RunProfile GatherProfile(const Communicator& world, const RunInput& input, Backend* backend,
                         const WindowProfile& recorded, const EngineReport& report) {
  RunProfile profile;
  profile.topology_digest = input.topology_digest;
  profile.contraction = input.grouping.lookahead;
  profile.grain = input.grouping.grain;
  profile.grain_ranks = input.grouping.ranks;
  profile.lookahead = backend->Lookahead();
  const PostOffice& post = backend->post_office();
  profile.record_bytes = static_cast<std::uint32_t>(post.stride() * sizeof(AddressedMessage));
  profile.windows = recorded.windows();
  profile.end = Time{world.Max(backend->now().ps)};
  profile.wall_seconds = world.Max(report.wall_seconds);
  profile.ranks = world.size();
  const std::vector<double> edges = world.AllGather(recorded.mean_edge_ns());
  for (const double edge : edges) profile.edge_ns += edge;
  GatherDomains(world, post, recorded, &profile);
  GatherSamples(world, post, recorded, &profile);
  GatherStreams(world, *backend, &profile);
  return world.is_root() ? profile : RunProfile();
}

std::string DescribeProfile(const RunProfile& profile, const std::string& path,
                            const std::string& topology) {
  double events = 0;
  for (const double count : profile.events) events += count;
  return fmt::format(
      "profile          {}: {} domains, {} of {} windows, {} events, up to {} simulated\n"
      "what to do       heddle partition {} --predict {}\n",
      path, profile.events.size(), profile.samples.size(), profile.windows, RateText(events),
      ToText(profile.end), topology, path);
}

}  // namespace heddle
