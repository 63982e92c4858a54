// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/run_attributes.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>

#include "core/app/base/cli/build_info.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"
#include "topology/tables/table_routing.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

struct RankWork {
  std::uint32_t rank = 0, domains = 0;
  std::array<char, 64> host{};
  std::int64_t events = 0, packet_hops = 0, windows = 0, messages = 0;
  double blocked_seconds = 0, wall_seconds = 0, memory_mib = 0;
};

}  // namespace

std::string CommandLine(const RunArguments& run) {
  std::string text = "heddle run -n " + run.topology;
  for (const TrafficSource& source : TrafficSources()) {
    for (const std::string& value : source.Given(run))
      text += fmt::format(" {} {}", source.flag, value);
  }
  if (!run.chakra_groups.empty()) text += " --chakra-groups " + run.chakra_groups;
  if (run.start_unit != RunArguments().start_unit) text += " --start-unit " + run.start_unit;
  if (!run.workload.empty()) text += fmt::format(" --passes {}", run.passes);
  for (const std::string& record : run.record) text += " --record " + record;
  if (!run.conf.empty()) text += " -c " + run.conf;
  if (!run.failures.empty()) text += " --failures " + run.failures;
  if (run.routing.routing != kEqualCost) text += " --routing " + run.routing.routing;
  if (!run.routing.tables.empty()) text += " --tables " + run.routing.tables;
  if (run.backend != BackendNames().front()) text += " --backend " + run.backend;
  if (!run.calibration.empty()) text += " --calibration " + run.calibration;
  for (const std::string& setting : run.settings) text += " --set " + setting;
  return text;
}

std::vector<Attribute> FileAttributes(const RunArguments& arguments) {
  std::vector<Attribute> about;
  for (const InputFile& file : InputFiles(arguments)) {
    if (!file.digest.empty()) about.push_back({file.digest, DigestOf(file)});
  }
  return about;
}

std::vector<Attribute> InputAttributes(const RunArguments& arguments, const RunInput& input) {
  std::vector<Attribute> about = {{"heddle_version", VersionText()},
                                  {"command_line", CommandLine(arguments)},
                                  {"seed", static_cast<std::int64_t>(arguments.seed)}};
  if (arguments.backend != BackendNames().front()) about.push_back({"backend", arguments.backend});
  if (arguments.routing.any()) {
    about.push_back({"routing", arguments.routing.tables.empty() ? arguments.routing.routing
                                                                 : std::string("tables")});
  } else if (TablesOf(*input.graph) != nullptr) {
    about.push_back({"routing", "file"});
  }
  if (const std::string option = input.transport.sprayed_by(); !option.empty())
    about.push_back({"sprayed_by", option});
  for (Attribute& file : FileAttributes(arguments)) about.push_back(std::move(file));
  for (const Option& option : input.options.options())
    about.push_back({"option " + option.key, option.get()});
  return about;
}

std::vector<Attribute> OutcomeAttributes(const RunFigures& figures) {
  std::vector<Attribute> found = {
      {"flows_digest", fmt::format("{:016x}", figures.flows_digest)},
      {"packet_hops", figures.books.link_packets},
      {"simulated_ps", figures.last_event.ps},
      {"flows_planned", figures.flows},
      {"flows_finished", figures.books.flows_finished},
      {"flows_recorded", figures.sample.text()},
  };
  if (figures.collectives) found.push_back({"collectives_recorded", figures.collectives->text()});
  if (!figures.deadlock.empty()) found.push_back({"deadlock", figures.deadlock});
  if (const auto idle = figures.idle_nic_share()) found.push_back({"nic_ports_idle", *idle});
  return found;
}

std::vector<Attribute> RunAttributes(const RunArguments& arguments, std::uint32_t ranks,
                                     Time lookahead, const RunFigures& figures,
                                     double write_seconds, const RunBooks& books) {
  const BuildInfo built = GetBuildInfo();
  return {
      {"ranks", static_cast<std::int64_t>(ranks)},
      {"engine", arguments.engine},
      {"partition", arguments.partitioner},
      {"grain", arguments.grain},
      {"lookahead_ps", lookahead.ps},
      {"setup_seconds", figures.setup_seconds},
      {"run_seconds", figures.run_seconds},
      {"write_seconds", write_seconds},
      {"restarts", books.restarts},
      {"checkpoint_seconds", books.checkpoint_seconds},
      {"started", books.started},
      {"mpi", built.mpi},
      {"hdf5", built.hdf5},
      {"ns3", built.ns3},
      {"compiler", built.compiler},
  };
}

Table GatherRankWork(const Communicator& world, const Backend& backend, const EngineReport& report,
                     double memory_mib) {
  RankWork mine;
  mine.rank = world.rank().value;
  mine.domains = backend.domains();
  gethostname(mine.host.data(), mine.host.size() - 1);
  mine.events = static_cast<std::int64_t>(backend.events());
  mine.packet_hops = backend.Books().link_packets;
  mine.windows = static_cast<std::int64_t>(report.windows);
  mine.messages = static_cast<std::int64_t>(report.messages_sent);
  mine.blocked_seconds = report.blocked_seconds;
  mine.wall_seconds = report.wall_seconds;
  mine.memory_mib = memory_mib;
  const std::vector<RankWork> rows = GatherRecords(world, std::vector<RankWork>{mine});
  using Row = RankWork;
  Table table{"run/ranks", "what each MPI rank had to do", {}};
  auto& columns = table.columns;
  columns.push_back(MakeColumn<std::uint32_t>("rank", "1", "MPI rank", rows,
                                              [](const Row& r) { return r.rank; }));
  columns.push_back(
      MakeColumn<std::string>("host", "1", "machine that it ran on", rows,
                              [](const Row& r) { return std::string(r.host.data()); }));
  columns.push_back(MakeColumn<std::uint32_t>("domains", "1", "parts of the fabric", rows,
                                              [](const Row& r) { return r.domains; }));
  columns.push_back(MakeColumn<std::int64_t>("events", "1", "events", rows,
                                             [](const Row& r) { return r.events; }));
  columns.push_back(MakeColumn<std::int64_t>("packet_hops", "1", "packets sent over links", rows,
                                             [](const Row& r) { return r.packet_hops; }));
  columns.push_back(MakeColumn<std::int64_t>("windows", "1",
                                             "windows, or wake-ups of domains under ns-3's engines",
                                             rows, [](const Row& r) { return r.windows; }));
  columns.push_back(MakeColumn<std::int64_t>("messages", "1", "messages to other ranks", rows,
                                             [](const Row& r) { return r.messages; }));
  columns.push_back(MakeColumn<double>("blocked_seconds", "s", "time spent waiting for other ranks",
                                       rows, [](const Row& r) { return r.blocked_seconds; }));
  columns.push_back(MakeColumn<double>("wall_seconds", "s", "time from first to last event", rows,
                                       [](const Row& r) { return r.wall_seconds; }));
  columns.push_back(MakeColumn<double>("memory_mib", "MiB", "most resident memory", rows,
                                       [](const Row& r) { return r.memory_mib; }));
  return table;
}

Table ProgressTable(const std::vector<ProgressRow>& rows) {
  using Row = ProgressRow;
  Table table{"run/progress", "how far the run was, whenever results were flushed", {}};
  auto& columns = table.columns;
  columns.push_back(MakeColumn<double>("wall_seconds", "s", "since the program began", rows,
                                       [](const Row& r) { return r.wall_seconds; }));
  columns.push_back(MakeColumn<std::int64_t>("time_ps", "ps", "simulated time", rows,
                                             [](const Row& r) { return r.time.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("flows_finished", "1", "flows that have ended", rows,
                                             [](const Row& r) { return r.flows_finished; }));
  columns.push_back(MakeColumn<std::int64_t>("packet_hops", "1", "packets sent over links", rows,
                                             [](const Row& r) { return r.packet_hops; }));
  columns.push_back(MakeColumn<std::int64_t>("events", "1", "events of all ranks", rows,
                                             [](const Row& r) { return r.events; }));
  columns.push_back(MakeColumn<double>("blocked_share", "1",
                                       "of all ranks' time so far, spent waiting for each other",
                                       rows, [](const Row& r) { return r.blocked_share; }));
  columns.push_back(MakeColumn<double>("memory_mib", "MiB", "most resident memory of a process",
                                       rows, [](const Row& r) { return r.memory_mib; }));
  return table;
}

std::string UtcNow() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace heddle
