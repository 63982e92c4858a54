// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/calibrate/calibrate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr int kCalibrateSchema = 1;
constexpr double kMicro = 1e6;

Calibration::Values ValuesAt(const MeasuredKind& kind, const MeasuredPoint& point,
                             const Calibration& fitted) {
  return fitted.Find(kind.kind, static_cast<double>(point.bytes)).value_or(Calibration::Values{});
}

double ErrorOf(double seconds, const MeasuredPoint& point) { return seconds / point.seconds - 1; }

/// A size of a kind, and what the fit says of it.
struct PointRow {
  const MeasuredPoint& point;
  double fitted = 0;  ///< s
};

std::string UsText(double seconds) { return fmt::format("{:.3f}", seconds * kMicro); }
std::string ErrorText(double error) { return fmt::format("{:+.1f}", 100 * error); }

PrintedColumns<PointRow> PointColumns() {
  using Row = PointRow;
  const auto fit_error = [](const Row& row) { return ErrorOf(row.fitted, row.point); };
  const auto form_error = [](const Row& row) { return ErrorOf(row.point.closed_form, row.point); };
  return {{"size_bytes", [](const Row& row) { return row.point.bytes; }, "size", 16,
           [](const Row& row) { return ToText(Bytes{row.point.bytes}); }},
          {"number", [](const Row& row) { return row.point.weight; }, "number", 9,
           [](const Row& row) { return fmt::format("{:.0f}", row.point.weight); }},
          {"measured_us", [](const Row& row) { return row.point.seconds * kMicro; }, "measured us",
           15, [](const Row& row) { return UsText(row.point.seconds); }},
          {"fitted_us", [](const Row& row) { return row.fitted * kMicro; }, "fitted us", 15,
           [](const Row& row) { return UsText(row.fitted); }},
          {"fitted_error", fit_error, "error %", 10,
           [fit_error](const Row& row) { return ErrorText(fit_error(row)); }},
          {"closed_form_us", [](const Row& row) { return row.point.closed_form * kMicro; },
           "closed form us", 15, [](const Row& row) { return UsText(row.point.closed_form); }},
          {"closed_form_error", form_error, "error %", 10,
           [form_error](const Row& row) { return ErrorText(form_error(row)); }}};
}

std::vector<PointRow> RowsOf(const MeasuredKind& kind, const Calibration& fitted) {
  std::vector<PointRow> rows;
  for (const MeasuredPoint& point : kind.points)
    rows.push_back({point, ValuesAt(kind, point, fitted).TimeOf(point.ports)});
  return rows;
}

/// Errors without sign of many points.
struct Errors {
  double sum = 0, largest = 0, number = 0;
  void Add(double error) {
    sum += std::abs(error);
    largest = std::max(largest, std::abs(error));
    number += 1;
  }
  double mean() const { return number > 0 ? sum / number : 0; }
  std::string Describe() const {
    return fmt::format("mean error {:.1f} %, largest {:.1f} %", 100 * mean(), 100 * largest);
  }
};

/// Of the fit, and of the closed forms, over all points.
struct AllErrors {
  Errors fit, closed_form;
};

AllErrors ErrorsOf(const std::vector<MeasuredKind>& kinds, const Calibration& fitted) {
  AllErrors all;
  for (const MeasuredKind& kind : kinds) {
    for (const PointRow& row : RowsOf(kind, fitted)) {
      all.fit.Add(ErrorOf(row.fitted, row.point));
      all.closed_form.Add(ErrorOf(row.point.closed_form, row.point));
    }
  }
  return all;
}

OrderedJson ErrorsJson(const Errors& errors) {
  return {{"mean_error", errors.mean()}, {"largest_error", errors.largest}};
}

/// The range of a kind's efficiencies, and its latency [s].
struct KindFit {
  double least = kMostEfficiency, most = 0, latency = 0;
};

KindFit FitOf(const MeasuredKind& kind, const Calibration& fitted) {
  KindFit fit;
  for (const MeasuredPoint& point : kind.points) {
    const Calibration::Values values = ValuesAt(kind, point, fitted);
    fit.latency = values.latency;
    fit.least = std::min(fit.least, 1 / values.slowness);
    fit.most = std::max(fit.most, 1 / values.slowness);
  }
  return fit;
}

OrderedJson KindJson(const MeasuredKind& kind, const Calibration& fitted) {
  const KindFit fit = FitOf(kind, fitted);
  return {{"operation", ToText(kind.kind.operation)},
          {"algorithm", ToText(kind.kind.algorithm)},
          {"protocol", ToText(kind.kind.protocol)},
          {"ranks", kind.kind.ranks},
          {"servers", kind.kind.servers},
          {"latency_us", fit.latency * kMicro},
          {"least_efficiency", fit.least},
          {"most_efficiency", fit.most},
          {"points", PrintedList(PointColumns(), RowsOf(kind, fitted))}};
}

}  // namespace

std::string FitText(const MeasuredKind& kind, const Calibration& fitted) {
  const CalibratedKind& of = kind.kind;
  const KindFit fit = FitOf(kind, fitted);
  std::string text = fmt::format(
      "\n{} {} {}, {} ranks on {} server{}: latency {:.3f} us, efficiency {:.3f} to {:.3f}\n",
      ToText(of.operation), ToText(of.algorithm), ToText(of.protocol), of.ranks, of.servers,
      of.servers == 1 ? "" : "s", fit.latency * kMicro, fit.least, fit.most);
  const PrintedColumns<PointRow> columns = PointColumns();
  text += PrintedHead(columns);
  for (const PointRow& row : RowsOf(kind, fitted)) text += PrintedLine(columns, row);
  return text;
}

std::string FitSummary(const std::vector<MeasuredKind>& kinds, const Calibration& fitted) {
  const AllErrors all = ErrorsOf(kinds, fitted);
  return fmt::format("\nfit          {}\nclosed forms {}\n", all.fit.Describe(),
                     all.closed_form.Describe());
}

OrderedJson FitJson(const std::vector<MeasuredKind>& kinds, const Calibration& fitted,
                    const std::string& output) {
  const AllErrors all = ErrorsOf(kinds, fitted);
  OrderedJson document = JsonDocument("calibrate", kCalibrateSchema);
  document["kinds"] = OrderedJson::array();
  for (const MeasuredKind& kind : kinds) document["kinds"].push_back(KindJson(kind, fitted));
  document["fit"] = ErrorsJson(all.fit);
  document["closed_forms"] = ErrorsJson(all.closed_form);
  document["calibration"] = NullIfEmpty(output);
  return document;
}

}  // namespace heddle
