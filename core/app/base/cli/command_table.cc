// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/command_table.h"

#include <sstream>

#include "core/app/base/cli/commands.h"

namespace heddle {
namespace {

/// `words` name the command and its subject. A command that consists of subjects only has no
/// description of its own.
CommandDescription DescribeOne(const Command& command, std::vector<std::string> words) {
  CommandDescription description;
  try {
    words.emplace_back(kDescribeYourself);
    command.run(words);
  } catch (const CommandDescribed& described) {
    description = described.description();
  } catch (const UsageError&) {
    description.help = command.help;
  }
  description.name = command.name;
  return description;
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {Section::kSetUp, "demo", DemoCommand,
       "compare two fabrics in an empty folder, for a first look: it needs no file"},
      {Section::kSetUp, "topo", TopoCommand,
       "generate a topology, show one, or make forwarding tables", "show route"},
      {Section::kSetUp, "trace", TraceCommand,
       "generate a trace of KV-cache transfers for run --trace, or show a schedule in GOAL",
       "show"},
      {Section::kSetUp, "workload", WorkloadCommand,
       "generate a training step of a GPT or a mixture of experts for run -w"},
      {Section::kSetUp, "partition", PartitionCommand,
       "report how a topology is partitioned for a number of ranks"},
      {Section::kSetUp, "collective", CollectiveCommand,
       "list the messages of a collective operation, or what NCCL would choose"},
      {Section::kSetUp, "pipeline", PipelineCommand,
       "draw a pipeline schedule, or print its table to change it"},
      {Section::kSimulate, "congestion", CongestionCommand,
       "count who shares which cable in a pattern's random placements, without packets", "", true},
      {Section::kSimulate, "analytical", AnalyticalCommand,
       "a training step by closed forms, as SimAI's analytical program"},
      {Section::kSimulate, "loggops", LogGopsCommand,
       "a schedule in GOAL over LogGOPS' ideal network, without a fabric"},
      {Section::kSimulate, "calibrate", CalibrateCommand,
       "fit closed forms to the times of nccl-tests or of a result"},
      {Section::kSimulate, "run", RunCommand,
       "simulate workloads or flows on a topology (alone or under mpirun)", "", true},
      {Section::kSimulate, "serve", ServeCommand,
       "serve requests to a language model: batches, KV memory, KV transfers on a fabric", "",
       true},
      {Section::kSimulate, "bench", BenchCommand,
       "run a collective size by size and algorithm by algorithm, as nccl-tests"},
      {Section::kSimulate, "compare-fabrics", CompareFabricsCommand,
       "run a step or a collective on several fabrics, and say which is faster and why"},
      {Section::kSimulate, "sweep", SweepCommand,
       "run every combination of a table, here or as an array of Slurm's"},
      {Section::kSimulate, "plan", PlanCommand,
       "find the fastest division of a training step over a fabric's GPUs", "search"},
      {Section::kSimulate, "accuracy", AccuracyCommand,
       "run workloads with several backends, and say how far they are from packets"},
      {Section::kResults, "recover", RecoverCommand, "make a result of what a killed run has left"},
      {Section::kResults, "export", ExportCommand,
       "write texts of SimAI, nccl-tests and Perfetto from a result"},
      {Section::kResults, "analyze", AnalyzeCommand,
       "say why: where time went, which links were full, which flows collided where",
       "collisions failures interference links paths serve step"},
      {Section::kResults, "report", ReportCommand,
       "write a page with charts of one result, or of several beside each other"},
      {Section::kResults, "validate", ValidateCommand,
       "check that results are as the format says, and agree with themselves"},
      {Section::kResults, "compare", CompareCommand,
       "say whether two results are equal, or where and how much they differ"},
      {Section::kReference, "options", OptionsCommand, "list all keys of --set and SimAI.conf"},
      {Section::kReference, "explain", ExplainCommand,
       "say what a key means, and where to read on"},
      {Section::kReference, "completion", CompletionCommand,
       "print a script that completes commands in bash, zsh or fish"},
  };
  return commands;
}

std::vector<CommandDescription> Describe(const Command& command) {
  std::vector<CommandDescription> found = {DescribeOne(command, {})};
  std::istringstream subjects(command.subjects);
  for (std::string subject; subjects >> subject;) {
    found.push_back(DescribeOne(command, {subject}));
    found.back().name += " " + subject;
  }
  return found;
}

}  // namespace heddle
