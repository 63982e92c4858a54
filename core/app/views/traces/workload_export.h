// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export -n FABRIC -w WORKLOAD`: what a workload computes and sends, as a schedule in GOAL
/// (`--goal FILE`) or as an execution trace of Chakra (`--chakra PREFIX`).
#pragma once

#include <string>
#include <vector>

namespace heddle {

struct GoalSchedule;
struct RunArguments;
struct RunInput;

/// A form to write in: its flag, what its value names, what it is, and what writes it.
struct ExportForm {
  const char* flag;
  const char* value;
  const char* help;
  void (*write)(const RunArguments& run, const RunInput& input, const std::string& to);
};

/// Returns the forms that `heddle export` can write.
const std::vector<ExportForm>& ExportForms();

/// Returns what the workloads of a command line compute and send; `name`: the schedule's, for
/// messages. Adds the warnings of the inputs. Throws as ExportWorkload().
GoalSchedule UnrollRun(RunArguments run, const std::string& name,
                       std::vector<std::string>* warnings);

/// Whether the command line of `heddle export` is one of these.
bool ExportsWorkload(const std::vector<std::string>& arguments);

/// All other words are flags of `heddle run`. A FILE that ends in ".bin" is written in binary;
/// a trace is PREFIX.RANK.et for each rank, and PREFIX.groups.json if there are groups.
/// Returns the exit code. Throws UsageError, UserError and FileError, and as UnrollJobs() and
/// ChakraOfJob().
int ExportWorkload(const std::vector<std::string>& arguments);

}  // namespace heddle
