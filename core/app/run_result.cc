// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run_result.h"

#include <fmt/format.h>

#include "collectives/job.h"
#include "core/app/commands.h"
#include "io/graph_table.h"
#include "io/merge_streams.h"
#include "io/table_stream.h"

namespace heddle {
namespace {

std::string CommandLine(const RunArguments& run) {
  std::string text = "heddle run -n " + run.topology;
  if (!run.trace.empty()) text += " --trace " + run.trace;
  if (!run.flows.empty()) text += " --flows " + run.flows;
  if (!run.workload.empty()) text += fmt::format(" -w {} --passes {}", run.workload, run.passes);
  for (const std::string& job : run.jobs) text += " --job " + job;
  for (const std::string& record : run.record) text += " --record " + record;
  if (!run.conf.empty()) text += " -c " + run.conf;
  if (!run.failures.empty()) text += " --failures " + run.failures;
  for (const std::string& setting : run.settings) text += " --set " + setting;
  return text;
}

std::vector<Attribute> AttributesOf(const RunRecord& run) {
  const RunArguments& arguments = *run.arguments;
  std::vector<Attribute> about = {
      {"heddle_version", VersionText()},
      {"command_line", CommandLine(arguments)},
      {"topology_digest", FileDigest(arguments.topology)},
      {"seed", static_cast<std::int64_t>(arguments.seed)},
      {"ranks", static_cast<std::int64_t>(run.ranks)},
      {"engine", arguments.engine},
      {"partition", arguments.partitioner},
      {"grain", arguments.grain},
      {"lookahead_ps", run.lookahead.ps},
      {"flows_digest", fmt::format("{:016x}", run.flows_digest)},
      {"setup_seconds", run.figures->setup_seconds},
      {"run_seconds", run.figures->run_seconds},
      {"packet_hops", run.figures->books.link_packets},
  };
  const std::string& flows = arguments.trace.empty() ? arguments.flows : arguments.trace;
  if (!flows.empty()) about.push_back({"flows_input_digest", FileDigest(flows)});
  if (!arguments.workload.empty()) about.push_back({"workload_digest", FileDigest(arguments.workload)});
  for (std::size_t i = 0; i < arguments.jobs.size(); ++i) {
    about.push_back({fmt::format("job {} workload_digest", i), FileDigest(ParseJobSpec(arguments.jobs[i]).workload)});
  }
  if (!arguments.conf.empty()) about.push_back({"conf_digest", FileDigest(arguments.conf)});
  if (!arguments.failures.empty()) about.push_back({"failures_digest", FileDigest(arguments.failures)});
  for (const Option& option : run.input->options.options()) about.push_back({"option " + option.key, option.get()});
  return about;
}

}  // namespace

void WriteRunResult(const RunRecord& run, const Outcome& outcome, const std::vector<Table>& job_tables,
                    const std::vector<std::string>& monitor_parts, std::uint64_t last_commit, ResultWriter* writer) {
  const std::vector<Attribute> about = AttributesOf(run);
  WithPartsKept(monitor_parts, [&] {
    for (const Table& table : job_tables) writer->Write(table);
    writer->Write(outcome.flows);
    writer->Write(outcome.drops);
    writer->Write(outcome.ports);
    writer->Write(outcome.pause_causes);
    for (const Table& table : outcome.controller) writer->Write(table);
    writer->Write(ShapeTable(*run.input->graph));
    writer->Write(LinkTable(*run.input->graph));
    if (!monitor_parts.empty()) MergeStreams(monitor_parts, last_commit, writer);
    writer->WriteAttributes(about);
    writer->Close();
  });
  RemoveStreams(monitor_parts);
}

}  // namespace heddle
