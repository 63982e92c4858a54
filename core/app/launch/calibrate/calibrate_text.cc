// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/calibrate/calibrate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "collectives/calibration/calibration.h"
#include "core/base/units.h"

namespace heddle {
namespace {

constexpr int kCalibrateSchema = 2;
constexpr double kMicro = 1e6;

/// A size of a kind, and what is said of it.
struct PointRow {
  const MeasuredPoint& point;
  std::optional<double> predicted;  ///< [s]; none: no other size was measured

  double closed_form_error() const { return point.closed_form / point.seconds - 1; }
  std::optional<double> predicted_error() const {
    if (!predicted) return std::nullopt;
    return *predicted / point.seconds - 1;
  }
};

std::string UsText(double seconds) { return fmt::format("{:.3f}", seconds * kMicro); }
std::string ErrorText(double error) { return fmt::format("{:+.1f}", 100 * error); }

PrintedColumns<PointRow> PointColumns() {
  using Row = PointRow;
  const auto predicted_us = [](const Row& row) -> OrderedJson {
    if (!row.predicted) return nullptr;
    return *row.predicted * kMicro;
  };
  return {{"size_bytes", [](const Row& row) { return row.point.bytes; }, "size", 16,
           [](const Row& row) { return ToText(Bytes{row.point.bytes}); }},
          {"number", [](const Row& row) { return row.point.number; }, "number", 9,
           [](const Row& row) { return fmt::format("{:.0f}", row.point.number); }},
          {"measured_us", [](const Row& row) { return row.point.seconds * kMicro; }, "measured us",
           15, [](const Row& row) { return UsText(row.point.seconds); }},
          {"closed_form_us", [](const Row& row) { return row.point.closed_form * kMicro; },
           "closed form us", 15, [](const Row& row) { return UsText(row.point.closed_form); }},
          {"closed_form_error", &Row::closed_form_error, "error %", 10,
           [](const Row& row) { return ErrorText(row.closed_form_error()); }},
          {"predicted_us", predicted_us, "by the others us", 18,
           [](const Row& row) { return row.predicted ? UsText(*row.predicted) : "-"; }},
          {"predicted_error", [](const Row& row) { return OrNull(row.predicted_error()); },
           "error %", 10,
           [](const Row& row) {
             return row.predicted ? ErrorText(*row.predicted_error()) : std::string("-");
           }}};
}

/// Each point beside what the other sizes of `all` predict.
std::vector<PointRow> PointsOf(const MeasuredKind& kind, const std::vector<CalibrationRow>& all) {
  std::vector<PointRow> points;
  for (const MeasuredPoint& point : kind.points) {
    std::vector<CalibrationRow> others;
    std::copy_if(
        all.begin(), all.end(), std::back_inserter(others), [&](const CalibrationRow& row) {
          return row.kind.operation == kind.kind.operation && row.kind.ranks == kind.kind.ranks &&
                 row.kind.servers == kind.kind.servers && row.bytes != point.bytes;
        });
    const std::optional<double> factor =
        Calibration(others).Factor(kind.kind, static_cast<double>(point.bytes));
    points.push_back({point, std::nullopt});
    if (factor) points.back().predicted = *factor * point.closed_form;
  }
  return points;
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

/// Errors of closed forms, and of what the other sizes predict.
struct AllErrors {
  Errors closed_form, predicted;
};

AllErrors ErrorsOf(const std::vector<MeasuredKind>& kinds) {
  AllErrors all;
  const std::vector<CalibrationRow> rows = RowsOf(kinds);
  for (const MeasuredKind& kind : kinds) {
    for (const PointRow& row : PointsOf(kind, rows)) {
      all.closed_form.Add(row.closed_form_error());
      if (row.predicted) all.predicted.Add(*row.predicted_error());
    }
  }
  return all;
}

OrderedJson ErrorsJson(const Errors& errors) {
  if (errors.number == 0) return nullptr;
  return {{"mean_error", errors.mean()}, {"largest_error", errors.largest}};
}

struct FactorRange {
  double least = 0, most = 0;
};

FactorRange FactorsOf(const MeasuredKind& kind) {
  const auto factor = [](const MeasuredPoint& point) { return point.seconds / point.closed_form; };
  const auto [least, most] = std::minmax_element(
      kind.points.begin(), kind.points.end(),
      [&](const MeasuredPoint& a, const MeasuredPoint& b) { return factor(a) < factor(b); });
  return {factor(*least), factor(*most)};
}

OrderedJson KindJson(const MeasuredKind& kind, const std::vector<CalibrationRow>& rows) {
  const FactorRange factors = FactorsOf(kind);
  return {{"operation", ToText(kind.kind.operation)},
          {"algorithm", ToText(kind.kind.algorithm)},
          {"protocol", ToText(kind.kind.protocol)},
          {"ranks", kind.kind.ranks},
          {"servers", kind.kind.servers},
          {"least_factor", factors.least},
          {"most_factor", factors.most},
          {"points", PrintedList(PointColumns(), PointsOf(kind, rows))}};
}

}  // namespace

std::vector<CalibrationRow> RowsOf(const std::vector<MeasuredKind>& kinds) {
  const auto inside = [](double seconds) {
    return std::clamp(seconds, kLeastCalibrated, kMostCalibrated);
  };
  std::vector<CalibrationRow> rows;
  for (const MeasuredKind& kind : kinds) {
    for (const MeasuredPoint& point : kind.points)
      rows.push_back({kind.kind, point.bytes, inside(point.seconds), inside(point.closed_form)});
  }
  return rows;
}

std::string FitText(const MeasuredKind& kind, const std::vector<CalibrationRow>& rows) {
  const CalibratedKind& of = kind.kind;
  const FactorRange factors = FactorsOf(kind);
  std::string text =
      fmt::format("\n{} {} {}, {} ranks on {} server{}: {:.3f} to {:.3f} times the closed form\n",
                  ToText(of.operation), ToText(of.algorithm), ToText(of.protocol), of.ranks,
                  of.servers, of.servers == 1 ? "" : "s", factors.least, factors.most);
  const PrintedColumns<PointRow> columns = PointColumns();
  text += PrintedHead(columns);
  for (const PointRow& row : PointsOf(kind, rows)) text += PrintedLine(columns, row);
  return text;
}

std::string FitSummary(const std::vector<MeasuredKind>& kinds) {
  const AllErrors errors = ErrorsOf(kinds);
  std::string text = "\nclosed forms   " + errors.closed_form.Describe() + "\n";
  text += "by the others  ";
  text +=
      errors.predicted.number > 0 ? errors.predicted.Describe() : "one size alone predicts nothing";
  return text + "\n";
}

OrderedJson FitJson(const std::vector<MeasuredKind>& kinds, const std::string& output) {
  OrderedJson document = JsonDocument("calibrate", kCalibrateSchema);
  OrderedJson list = OrderedJson::array();
  const std::vector<CalibrationRow> rows = RowsOf(kinds);
  for (const MeasuredKind& kind : kinds) list.push_back(KindJson(kind, rows));
  const AllErrors errors = ErrorsOf(kinds);
  document["kinds"] = list;
  document["closed_forms"] = ErrorsJson(errors.closed_form);
  document["by_the_others"] = ErrorsJson(errors.predicted);
  document["calibration"] = NullIfEmpty(output);
  return document;
}

}  // namespace heddle
