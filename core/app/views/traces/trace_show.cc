// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/traces/trace_show.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/views/traces/chakra_show.h"
#include "core/chakra/chakra_window.h"
#include "core/goal/goal_window.h"
#include "core/options/quantity_text.h"
#include "io/chakra/chakra_files.h"
#include "io/goal/goal_file.h"
#include "io/goal/goal_summary.h"
#include "io/nccl_log/nccl_files.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kTraceShowSchema = 1;

std::string Counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return GroupedDigits(count) + " " + (count == 1 ? one : many);
}

/// "1,000 ns (1.000 us)".
std::string CalcText(double ns) {
  return fmt::format("{} ns ({:.3f} us)", GroupedDigits(static_cast<std::uint64_t>(ns)), ns / 1e3);
}

/// One operation that is odd, and where it is.
std::string OddOne(const GoalSchedule& schedule, GoalPlace at) {
  return fmt::format("{}: rank {} has {}", schedule.PlaceOf(at.rank, at.operation), at.rank,
                     Describe(schedule.At(at.rank, at.operation)));
}

/// What is odd about a schedule, a sentence each.
std::vector<std::string> OddThings(const GoalSchedule& schedule, const GoalSummary& sum) {
  std::vector<std::string> odd;
  const GoalMessages& messages = sum.messages;
  if (messages.receives_alone > 0)
    odd.push_back(Counted(messages.receives_alone, "receive has", "receives have") +
                  " no send; the first is at " + OddOne(schedule, messages.receive_alone));
  if (messages.sends_alone > 0)
    odd.push_back(Counted(messages.sends_alone, "send has", "sends have") +
                  " no receive; the first is at " + OddOne(schedule, messages.send_alone));
  if (messages.sizes_differ > 0)
    odd.push_back(Counted(messages.sizes_differ, "receive has", "receives have") +
                  " another size than its send; the first is at " +
                  OddOne(schedule, messages.receive_of_other_size));
  if (sum.idle_ranks > 0)
    odd.push_back(Counted(sum.idle_ranks, "rank has", "ranks have") + " no operation");
  return odd;
}

std::string TraceText(const GoalSchedule& schedule, const GoalSummary& sum,
                      const std::vector<std::string>& odd) {
  std::string text =
      fmt::format("schedule    {}: GOAL, {}, {}\n", schedule.file,
                  schedule.is_text ? "text" : "binary", Counted(sum.ranks, "rank", "ranks"));
  text += fmt::format(
      "operations  {}: {}, {}, {}; {}\n", GroupedDigits(sum.operations()),
      Counted(sum.sends, "send", "sends"), Counted(sum.receives, "receive", "receives"),
      Counted(sum.calcs, "calc", "calcs"), Counted(sum.dependencies, "dependency", "dependencies"));
  text += fmt::format("messages    {} sent, the largest has {} bytes; {} to the rank itself\n",
                      ToText(Bytes{static_cast<std::int64_t>(sum.sent_bytes)}),
                      GroupedDigits(static_cast<std::uint64_t>(sum.largest_message)),
                      GroupedDigits(sum.own_sends));
  if (sum.any_receives > 0)
    text += fmt::format("            {} from any rank or with any tag\n",
                        Counted(sum.any_receives, "receive", "receives"));
  text += fmt::format("calc        {} of all ranks; cpus 0 to {}, nics 0 to {}\n",
                      CalcText(sum.calc_ns), sum.highest_cpu, sum.highest_nic);
  text += fmt::format("chain       {} of calcs that require each other, on rank {}\n",
                      CalcText(sum.longest_chain_ns), sum.longest_chain_rank);
  for (const std::string& sentence : odd) text += "odd         " + sentence + "\n";
  return text;
}

OrderedJson TraceJson(const std::string& file, const GoalSchedule& schedule, const GoalSummary& sum,
                      const std::vector<std::string>& odd) {
  OrderedJson document = JsonDocument("trace show", kTraceShowSchema);
  document["trace"] = file;
  document["format"] = schedule.is_text ? "goal text" : "goal binary";
  document["ranks"] = sum.ranks;
  document["idle_ranks"] = sum.idle_ranks;
  document["operations"] = {{"sends", sum.sends},
                            {"receives", sum.receives},
                            {"receives_of_any", sum.any_receives},
                            {"calcs", sum.calcs}};
  document["dependencies"] = sum.dependencies;
  document["sent_bytes"] = sum.sent_bytes;
  document["largest_message_bytes"] = sum.largest_message;
  document["sends_to_itself"] = sum.own_sends;
  document["calc_ns"] = sum.calc_ns;
  document["highest_cpu"] = sum.highest_cpu;
  document["highest_nic"] = sum.highest_nic;
  document["longest_chain_ns"] = sum.longest_chain_ns;
  document["longest_chain_rank"] = sum.longest_chain_rank;
  document["sends_without_receive"] = sum.messages.sends_alone;
  document["receives_without_send"] = sum.messages.receives_alone;
  document["sizes_differ"] = sum.messages.sizes_differ;
  document["odd"] = odd;
  return document;
}

void ShowGoal(const std::string& file, bool json) {
  std::vector<std::string> warnings;
  const GoalSchedule schedule =
      ReadGoal(file, static_cast<std::uint64_t>(GoalWindow().operations), &warnings);
  for (const std::string& warning : warnings) PrintWarning(warning);
  const GoalSummary sum = Summarize(schedule);
  const std::vector<std::string> odd = OddThings(schedule, sum);
  if (json) {
    PrintJson(TraceJson(file, schedule, sum, odd));
  } else {
    PrintText(TraceText(schedule, sum, odd));
  }
}

}  // namespace

int ShowTrace(const std::vector<std::string>& arguments) {
  std::string file;
  ChakraReading how;
  bool no_control = false;
  bool json = false;
  CLI::App app("Describe a schedule in GOAL, a trace of Chakra, or logs of NCCL.", "trace show");
  app.add_option(
         "FILE", file,
         "schedule in GOAL, text or binary; PREFIX of the files PREFIX.RANK.et of Chakra; a "
         "log of NCCL, or a folder of them")
      ->required()
      ->type_name("FILE");
  app.add_option("--chakra-groups", how.groups, "JSON file with the ranks of Chakra's groups")
      ->type_name("FILE");
  app.add_flag("--no-control", no_control, "leave out control dependencies of Chakra");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle trace show step.goal", "heddle trace show step.bin --json",
                       "heddle trace show traces/step", "heddle trace show nccl-logs"}));
  if (!ParseArguments(&app, arguments)) return 0;
  const bool nccl = IsNcclLog(file);
  if (!nccl && IsChakraPrefix(file)) {
    how.control = !no_control;
    how.window = static_cast<std::uint64_t>(ChakraWindow().nodes);
    ShowChakra(file, how, json);
    return 0;
  }
  if (!how.groups.empty() || no_control)
    throw UsageError(std::string(no_control ? "--no-control: " : "--chakra-groups: ") +
                     Printable(file) +
                     " is no trace of Chakra. Expected: PREFIX of files PREFIX.RANK.et");
  if (nccl) {
    ShowNcclLog(file, json);
  } else {
    ShowGoal(file, json);
  }
  return 0;
}

}  // namespace heddle
