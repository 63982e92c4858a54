// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/app/base/cli/rank_lines.h"
#include "core/mpi/gather_records.h"

namespace heddle {
namespace {

using Value = std::function<std::int64_t(const MemorySnapshot&)>;

std::int64_t SumOf(const std::vector<MemorySnapshot>& ranks, const Value& value) {
  std::int64_t sum = 0;
  for (const MemorySnapshot& rank : ranks) sum += value(rank);
  return sum;
}

std::string Line(const char* name, const std::vector<MemorySnapshot>& ranks, const Value& value) {
  std::vector<std::int64_t> bytes;
  for (const MemorySnapshot& rank : ranks) bytes.push_back(value(rank));
  return RankLine(name, bytes);
}

std::size_t MemoryOfPrograms(const Job& job) {
  return MemoryOf(job.gpus) + MemoryOf(job.workload.layers) + MemoryOf(job.program.ops) +
         MemoryOf(job.program.steps) + job.program.lists.memory() +
         (job.program.graph != nullptr ? job.program.graph->memory() : 0);
}

}  // namespace

void AddInputMemory(const RunInput& input, MemoryAccount* account) {
  account->Add(Structure::kInput,
               MemoryOf(input.flows) + MemoryOf(input.failures) + MemoryOf(input.jobs));
  if (input.serving != nullptr) account->Add(Structure::kInput, input.serving->memory());
  for (const GoalJob& job : input.schedules)
    account->Add(Structure::kInput, job.schedule.memory() + MemoryOf(job.gpus));
  for (const Job& job : input.jobs) account->Add(Structure::kInput, MemoryOfPrograms(job));
  account->Add(Structure::kGraph, sizeof(Graph) + input.graph->memory());
  account->Add(Structure::kPartition, MemoryOf(input.domains.domain_of) +
                                          MemoryOf(input.domains.nodes) +
                                          MemoryOf(input.assignment));
}

std::int64_t MemorySnapshot::freed() const {
  return std::max<std::int64_t>(0, then.heap_free - before.heap_free);
}

std::string DescribeMemory(const std::vector<MemorySnapshot>& ranks) {
  std::string text = RankHead(ranks.size());
  text += Line("before the input was read", ranks,
               [](const MemorySnapshot& s) { return s.before.resident; });
  for (std::size_t i = 0; i < kStructures; ++i) {
    const auto structure = static_cast<Structure>(i);
    const Value value = [structure](const MemorySnapshot& s) { return s.structures.of(structure); };
    if (SumOf(ranks, value) > 0) text += Line(ToText(structure), ranks, value);
  }
  text += Line("freed, kept by the allocator", ranks,
               [](const MemorySnapshot& s) { return s.freed(); });
  text += Line("program code read since", ranks, [](const MemorySnapshot& s) { return s.code(); });
  text +=
      Line("shared by MPI's processes", ranks, [](const MemorySnapshot& s) { return s.shared(); });
  text += Line("sum", ranks, [](const MemorySnapshot& s) { return s.before.resident + s.named(); });
  text += Line("the process, by the system", ranks,
               [](const MemorySnapshot& s) { return s.then.resident; });
  const auto named =
      static_cast<double>(SumOf(ranks, [](const MemorySnapshot& s) { return s.named(); }));
  const auto growth =
      static_cast<double>(SumOf(ranks, [](const MemorySnapshot& s) { return s.growth(); }));
  text += fmt::format(
      "  since the input was read {:.2f} MiB have a name and {:.2f} MiB were added to the process: "
      "{:+.1f} %\n",
      named / (1 << 20), growth / (1 << 20), 100 * (named / std::max(growth, 1.0) - 1));
  return text;
}

void MemoryWatch::Take(const MemoryAccount& structures) {
  const MemorySnapshot now{structures, before_, ReadProcessMemory()};
  if (now.then.resident >= largest_.then.resident) largest_ = now;
}

std::vector<MemorySnapshot> MemoryWatch::Gather(const Communicator& world) const {
  return GatherRecords(world, std::vector<MemorySnapshot>{largest_});
}

}  // namespace heddle
