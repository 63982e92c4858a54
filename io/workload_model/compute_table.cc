// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/compute_table.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/options/nearest_name.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr double kMostMicroseconds = 1e12;  // 11 days, the most of a workload file

BlockKind KindNamed(std::string_view word, const SourceLine& where) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    names.emplace_back(ToText(static_cast<BlockKind>(i)));
    if (word == names.back()) return static_cast<BlockKind>(i);
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  FailInput(where, fmt::format("block {}{}", Quote(word), NearestIs(word, names)), all);
}

Time TimeOf(std::string_view word, const SourceLine& where) {
  const std::optional<double> us = ReadNumber<double>(word);
  if (!us || !(*us >= 0 && *us <= kMostMicroseconds))
    FailInput(where, word.empty() ? "no time" : fmt::format("time {}", Quote(word)),
              "microseconds, from 0 to 1e12");
  return NanoSeconds(std::llround(*us * 1e3));
}

}  // namespace

ComputeTable ParseComputeTable(std::string_view text, const std::string& name) {
  ComputeTable table;
  LineReader lines(text, name);
  bool any = false;
  for (std::string_view line; lines.NextFilled(&line);) {
    line = WithoutComment(line);
    if (line.empty()) continue;
    any = true;
    const BlockKind kind = KindNamed(TakeWord(&line), lines.where());
    std::optional<PhaseTimes>& times = table[static_cast<std::size_t>(kind)];
    if (times)
      FailInput(lines.where(), fmt::format("{} a second time", ToText(kind)), "each block once");
    times.emplace();
    times->forward = TimeOf(TakeWord(&line), lines.where());
    if (kind != BlockKind::kOptimizer) {
      times->input_gradient = TimeOf(TakeWord(&line), lines.where());
      times->weight_gradient = TimeOf(TakeWord(&line), lines.where());
    }
    if (const std::string_view more = TakeWord(&line); !more.empty())
      FailInput(lines.where(), Quote(more), "the end of the line");
  }
  if (!any) FailInput(lines.whole_file(), "no times", "lines such as 'attention 320 410 300'");
  return table;
}

}  // namespace heddle
