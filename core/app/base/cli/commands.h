// SPDX-License-Identifier: GPL-2.0-only
/// The program's commands. Each takes its own arguments (without program and command name) and
/// returns an exit code.
#pragma once

#include <string>
#include <vector>

namespace heddle {

int DemoCommand(const std::vector<std::string>& arguments);        ///< two fabrics, for a start
int TopoCommand(const std::vector<std::string>& arguments);        ///< generate or show a topology
int TraceCommand(const std::vector<std::string>& arguments);       ///< generate or show a trace
int WorkloadCommand(const std::vector<std::string>& arguments);    ///< a step from a model's shape
int PartitionCommand(const std::vector<std::string>& arguments);   ///< report a partition
int CollectiveCommand(const std::vector<std::string>& arguments);  ///< list a collective's messages
int PipelineCommand(const std::vector<std::string>& arguments);    ///< draw a pipeline schedule
int CongestionCommand(const std::vector<std::string>& arguments);  ///< static congestion
int AccuracyCommand(const std::vector<std::string>& arguments);    ///< backends against each other
int LogGopsCommand(const std::vector<std::string>& arguments);     ///< a schedule without a fabric
int CalibrateCommand(const std::vector<std::string>& arguments);   ///< closed forms from times
int AnalyticalCommand(const std::vector<std::string>& arguments);  ///< closed forms of a step
int RunCommand(const std::vector<std::string>& arguments);         ///< simulate
int ServeCommand(const std::vector<std::string>& arguments);       ///< requests to a model
int BenchCommand(const std::vector<std::string>& arguments);       ///< a collective by size
int CompareFabricsCommand(const std::vector<std::string>& arguments);  ///< fabrics alike
int PlanCommand(const std::vector<std::string>& arguments);            ///< divisions of a step
int SweepCommand(const std::vector<std::string>& arguments);           ///< many runs from a table
int RecoverCommand(const std::vector<std::string>& arguments);         ///< a result of a killed run
int ExportCommand(const std::vector<std::string>& arguments);   ///< text formats from a result
int AnalyzeCommand(const std::vector<std::string>& arguments);  ///< causes, from results
/// Check results against their format.
int ValidateCommand(const std::vector<std::string>& arguments);
int CompareCommand(const std::vector<std::string>& arguments);  ///< two results beside each other
int ReportCommand(const std::vector<std::string>& arguments);   ///< a page with charts
int OptionsCommand(const std::vector<std::string>& arguments);  ///< list all keys
int ExplainCommand(const std::vector<std::string>& arguments);  ///< describe a key
int CompletionCommand(const std::vector<std::string>& arguments);  ///< scripts for shells

/// Returns the name of this program's version: "heddle 0.1.0 (commit, build type)".
std::string VersionText();
/// Whether this process is the one that talks to the user: the first rank, as far as the launcher's
/// environment shows.
bool SpeaksForAll();

}  // namespace heddle
