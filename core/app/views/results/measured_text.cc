// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/measured_text.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/units.h"
#include "io/analysis/measured_times.h"
#include "io/analysis/step_time.h"
#include "io/result/attribute_map.h"

namespace heddle {
namespace {

constexpr std::size_t kMostMeasuredKinds = 24;

/// What is compared of one result.
struct Side {
  std::string backend = "packet";
  std::uint32_t warmup = 0;
  double clock_error_ps = 0;
  TimeSpread passes;
  std::vector<KindTimes> kinds;
  StepTime step;  ///< of job 0
};

Side SideOf(const ResultReader& result) {
  const AttributeMap root(result.ReadAttributes()), run(result.ReadAttributes("run"));
  Side side;
  side.backend = root.Text("backend").value_or(side.backend);
  side.warmup = WarmupPasses(root);
  side.clock_error_ps = 1e3 * run.Number("clock_error_ns").value_or(0);
  const Table collectives = result.ReadTable("collectives");
  side.passes = TimesOfPasses(collectives, side.warmup);
  side.kinds = TimesOfKinds(collectives, side.warmup);
  StepTimes steps;
  steps.AddJobs(result.ReadTable("jobs"));
  steps.AddRanks(result.ReadTable("ranks"));
  steps.AddLayers(result.ReadTable("layers"));
  side.step = steps.Of(0);
  return side;
}

double PerCent(double a, double b) { return a > 0 ? 100 * (b / a - 1) : 0; }
double Us(double ps) { return ps * 1e-6; }

std::string PassLine(const Side& a, const Side& b) {
  return fmt::format("{:<40} {:>13.3f} {:>13.3f} {:>13.3f} {:>13.3f} {:>+9.1f}\n",
                     fmt::format("pass, mean of {} | {}", a.passes.number, b.passes.number),
                     Us(a.passes.mean), Us(b.passes.smallest), Us(b.passes.mean), Us(b.passes.p99),
                     PerCent(a.passes.mean, b.passes.mean));
}

std::string KindLines(const Side& a, const Side& b) {
  std::string text;
  std::size_t shown = 0, more = 0;
  for (const KindTimes& kind : a.kinds) {
    const KindTimes* same = FindKind(b.kinds, kind);
    if (same == nullptr) continue;
    if (++shown > kMostMeasuredKinds) {
      ++more;
      continue;
    }
    const KindTimes& other = *same;
    text += fmt::format(
        "{:<14} {:<4} {:>5} {:>14} {:>13.3f} {:>13.3f} {:>13.3f} {:>13.3f} {:>+9.1f} {:>9.2f} "
        "{:>9.2f}\n",
        kind.operation, kind.group, kind.ranks, ToText(Bytes{kind.bytes}), Us(kind.time.mean),
        Us(other.time.smallest), Us(other.time.mean), Us(other.time.p99),
        PerCent(kind.time.mean, other.time.mean), kind.bus_bandwidth * 1e-9,
        other.bus_bandwidth * 1e-9);
  }
  if (more > 0) text += fmt::format("... and {} more kinds\n", more);
  return text;
}

std::string PartLines(const Side& a, const Side& b) {
  if (!a.step.ended || !b.step.ended) return "";
  std::string text =
      fmt::format("\n{:<40} {:>13} {:>13}\n", "GPUs of job 0, % of the time", a.backend, b.backend);
  for (int i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (a.step.of(part) < 1e-4 && b.step.of(part) < 1e-4) continue;
    text += fmt::format("{:<40} {:>13.2f} {:>13.2f}\n", ToText(part), 100 * a.step.of(part),
                        100 * b.step.of(part));
  }
  return text;
}

}  // namespace

std::string DescribeMeasured(const ResultReader& a, const ResultReader& b) {
  if (!a.HasTable("collectives") || !b.HasTable("collectives")) return "";
  const Side left = SideOf(a), right = SideOf(b);
  if (left.passes.number == 0 || right.passes.number == 0) return "";
  std::string text = fmt::format("\n{:<40} {:>13} {:>13} {:>13} {:>13} {:>9} {:>9} {:>9}\n",
                                 "times in us, bus bandwidths in GB/s", left.backend, right.backend,
                                 "mean", "p99", "error %", left.backend, right.backend);
  text += fmt::format("{:<40} {:>13} {:>13}\n", "", "mean", "smallest");
  text += PassLine(left, right) + KindLines(left, right) + PartLines(left, right);
  for (const Side* side : {&left, &right}) {
    if (side->clock_error_ps > 0)
      text += fmt::format("times of {} are right within {:.1f} us; {} passes to warm up\n",
                          side->backend, Us(side->clock_error_ps), side->warmup);
  }
  return text;
}

}  // namespace heddle
