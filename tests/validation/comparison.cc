// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace heddle::testing {
namespace {

std::vector<TableRow>& Rows() {
  static std::vector<TableRow> rows;
  return rows;
}

/// Prints the table after the last test.
class Printer final : public ::testing::Environment {
 public:
  void TearDown() override {
    if (Rows().empty()) return;
    std::printf(
        "\nCompletion times of SimAI 1.6 and of heddle. `ns`: heddle truncates times as SimAI "
        "does; `ps`: it does not;\n"
        "`N seeds`: means over so many runs. Equal: flows equal to the nanosecond.\n\n"
        "| case | times | bound | flows | equal | SimAI slowest [ns] | heddle slowest [ns] | SimAI "
        "mean [ns] | "
        "heddle mean [ns] | difference | of | remark |\n"
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n");
    for (const TableRow& row : Rows()) {
      const FctComparison& c = row.figures;
      std::printf("| %s | %s | %s | %zu | %zu | %.0f | %.1f | %.0f | %.1f | %.4f %% | %s | %s |\n",
                  row.name.c_str(), row.mode.c_str(), row.bound.c_str(), c.flows, c.equal,
                  c.simai_slowest, c.slowest, c.simai_mean, c.mean, 100 * row.difference, row.which,
                  row.remark.c_str());
    }
    std::printf("\n");
  }
};
[[maybe_unused]] const ::testing::Environment* const kPrinter =
    ::testing::AddGlobalTestEnvironment(new Printer);

}  // namespace

OwnAnswers AnswersOf(const Table& flows, const PathMetrics* metrics, Bytes payload) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  const auto& port = GetColumn<std::uint16_t>(flows, "source_port");
  const auto& start = GetColumn<std::int64_t>(flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  OwnAnswers answers;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const FlowName name = NameOf(source[i], destination[i], port[i]);
    if (fct[i] < 0) throw std::runtime_error("not finished: " + Text(name));
    std::int64_t ideal = 0;
    if (metrics != nullptr) {
      const PairMetrics pair = metrics->Pair(NodeId(source[i]), NodeId(destination[i]));
      ideal = IdealCompletionTime(pair, Bytes{size[i]}, payload).ps;
    }
    if (!answers.emplace(name, FlowPicoseconds{start[i], fct[i], ideal}).second) {
      throw std::runtime_error("twice: " + Text(name));
    }
  }
  return answers;
}

std::string Text(const FlowName& name) {
  char text[64];
  std::snprintf(text, sizeof text, "%08x -> %08x port %u", std::get<0>(name), std::get<1>(name),
                std::get<2>(name));
  return text;
}

FctComparison Compare(const Answers& simai, const OwnAnswers& own) {
  if (simai.size() != own.size()) throw std::runtime_error("not as many flows as in fct.txt");
  FctComparison c;
  c.flows = simai.size();
  for (const auto& [flow, times] : simai) {
    const auto found = own.find(flow);
    if (found == own.end()) throw std::runtime_error("heddle did not run " + Text(flow));
    const auto theirs = static_cast<double>(times.fct_ns);
    const double ours = static_cast<double>(found->second.fct) / 1000;
    if (found->second.fct == times.fct_ns * 1000) ++c.equal;
    c.simai_slowest = std::max(c.simai_slowest, theirs);
    c.slowest = std::max(c.slowest, ours);
    c.simai_mean += theirs / static_cast<double>(c.flows);
    c.mean += ours / static_cast<double>(c.flows);
    if (std::abs(ours / theirs - 1) > std::abs(c.largest)) {
      c.largest = ours / theirs - 1;
      c.largest_flow = flow;
    }
  }
  return c;
}

void AddRow(const TableRow& row) { Rows().push_back(row); }

}  // namespace heddle::testing
