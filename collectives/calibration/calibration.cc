// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/check.h"

namespace heddle {
namespace {

auto OrderOf(const CalibratedKind& kind) {
  return std::tie(kind.operation, kind.algorithm, kind.protocol, kind.ranks, kind.servers);
}

bool AreAlike(const CalibratedKind& a, const CalibratedKind& b) {
  return a.operation == b.operation && a.algorithm == b.algorithm && a.protocol == b.protocol &&
         (a.servers == 1) == (b.servers == 1);
}

/// How far apart two numbers are in their ratio.
double Apart(std::uint32_t a, std::uint32_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

double Between(double low, double high, double share) { return low + (high - low) * share; }

}  // namespace

Calibration::Calibration(std::vector<CalibrationRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const CalibrationRow& a, const CalibrationRow& b) {
    return OrderOf(a.kind) != OrderOf(b.kind) ? OrderOf(a.kind) < OrderOf(b.kind)
                                              : a.bytes < b.bytes;
  });
  for (const CalibrationRow& row : rows) {
    HEDDLE_EXPECT(row.bytes > 0 && row.efficiency > 0 && row.kind.ranks > 0);
    if (kinds_.empty() || OrderOf(kinds_.back().kind) != OrderOf(row.kind))
      kinds_.push_back({row.kind, row.latency, {}});
    kinds_.back().sizes.push_back({std::log2(static_cast<double>(row.bytes)), 1 / row.efficiency});
  }
}

double Calibration::Kind::SlownessOf(double log_bytes) const {
  const auto above = std::find_if(sizes.begin(), sizes.end(), [log_bytes](const Size& size) {
    return size.log_bytes >= log_bytes;
  });
  if (above == sizes.end()) return sizes.back().slowness;
  if (above == sizes.begin()) return above->slowness;
  const Size& below = *(above - 1);
  return Between(below.slowness, above->slowness,
                 (log_bytes - below.log_bytes) / (above->log_bytes - below.log_bytes));
}

std::optional<Calibration::Values> Calibration::Find(const CalibratedKind& kind,
                                                     double bytes) const {
  // The known kinds with the next smaller and the next larger number of ranks.
  const Kind *fewer = nullptr, *more = nullptr;
  const auto is_nearer = [&kind](const Kind& a, const Kind& b) {
    return Apart(a.kind.servers, kind.servers) < Apart(b.kind.servers, kind.servers);
  };
  for (const Kind& known : kinds_) {
    if (!AreAlike(known.kind, kind)) continue;
    const std::uint32_t ranks = known.kind.ranks;
    if (ranks <= kind.ranks && (fewer == nullptr || ranks > fewer->kind.ranks ||
                                (ranks == fewer->kind.ranks && is_nearer(known, *fewer))))
      fewer = &known;
    if (ranks >= kind.ranks && (more == nullptr || ranks < more->kind.ranks ||
                                (ranks == more->kind.ranks && is_nearer(known, *more))))
      more = &known;
  }
  if (fewer == nullptr) fewer = more;
  if (more == nullptr) more = fewer;
  if (fewer == nullptr) return std::nullopt;
  const double apart = Apart(fewer->kind.ranks, more->kind.ranks);
  const double share = apart > 0 ? Apart(fewer->kind.ranks, kind.ranks) / apart : 0;
  const double log_bytes = std::log2(std::max(bytes, 1.0));
  return Values{Between(fewer->latency, more->latency, share),
                Between(fewer->SlownessOf(log_bytes), more->SlownessOf(log_bytes), share)};
}

std::string Calibration::Describe() const {
  std::string text;
  const CalibratedKind* last = nullptr;
  for (const Kind& known : kinds_) {
    const CalibratedKind& kind = known.kind;
    const bool goes_on = last != nullptr && last->operation == kind.operation &&
                         last->algorithm == kind.algorithm && last->protocol == kind.protocol;
    if (goes_on) {
      text += fmt::format(", {}", kind.ranks);
    } else {
      text +=
          fmt::format("{}{} {} {} ({}", last == nullptr ? "" : " ranks), ", ToText(kind.operation),
                      ToText(kind.algorithm), ToText(kind.protocol), kind.ranks);
    }
    last = &kind;
  }
  return text + " ranks)";
}

}  // namespace heddle
