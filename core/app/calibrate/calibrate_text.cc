// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/calibrate/calibrate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr double kMicro = 1e6;

Calibration::Values ValuesAt(const MeasuredKind& kind, const MeasuredPoint& point,
                             const Calibration& fitted) {
  return fitted.Find(kind.kind, static_cast<double>(point.bytes)).value_or(Calibration::Values{});
}

double ErrorOf(double seconds, const MeasuredPoint& point) { return seconds / point.seconds - 1; }

std::string PointLine(const MeasuredKind& kind, const MeasuredPoint& point,
                      const Calibration& fitted) {
  const double time = ValuesAt(kind, point, fitted).TimeOf(point.ports);
  return fmt::format("  {:>14} {:>8.0f} {:>14.3f} {:>14.3f} {:>+9.1f} {:>14.3f} {:>+9.1f}\n",
                     ToText(Bytes{point.bytes}), point.weight, point.seconds * kMicro,
                     time * kMicro, 100 * ErrorOf(time, point), point.closed_form * kMicro,
                     100 * ErrorOf(point.closed_form, point));
}

/// Errors without sign of many points.
struct Errors {
  double sum = 0, largest = 0, number = 0;
  void Add(double error) {
    sum += std::abs(error);
    largest = std::max(largest, std::abs(error));
    number += 1;
  }
  std::string Describe() const {
    return fmt::format("mean error {:.1f} %, largest {:.1f} %", number > 0 ? 100 * sum / number : 0,
                       100 * largest);
  }
};

}  // namespace

std::string FitText(const MeasuredKind& kind, const Calibration& fitted) {
  const CalibratedKind& of = kind.kind;
  double least = kMostEfficiency, most = 0, latency = 0;
  for (const MeasuredPoint& point : kind.points) {
    const Calibration::Values values = ValuesAt(kind, point, fitted);
    latency = values.latency;
    least = std::min(least, 1 / values.slowness);
    most = std::max(most, 1 / values.slowness);
  }
  std::string text = fmt::format(
      "\n{} {} {}, {} ranks on {} server{}: latency {:.3f} us, efficiency {:.3f} to {:.3f}\n",
      ToText(of.operation), ToText(of.algorithm), ToText(of.protocol), of.ranks, of.servers,
      of.servers == 1 ? "" : "s", latency * kMicro, least, most);
  text += fmt::format("  {:>14} {:>8} {:>14} {:>14} {:>9} {:>14} {:>9}\n", "size", "number",
                      "measured us", "fitted us", "error %", "closed form us", "error %");
  for (const MeasuredPoint& point : kind.points) text += PointLine(kind, point, fitted);
  return text;
}

std::string FitSummary(const std::vector<MeasuredKind>& kinds, const Calibration& fitted) {
  Errors fit, closed_form;
  for (const MeasuredKind& kind : kinds) {
    for (const MeasuredPoint& point : kind.points) {
      fit.Add(ErrorOf(ValuesAt(kind, point, fitted).TimeOf(point.ports), point));
      closed_form.Add(ErrorOf(point.closed_form, point));
    }
  }
  return fmt::format("\nfit          {}\nclosed forms {}\n", fit.Describe(),
                     closed_form.Describe());
}

}  // namespace heddle
