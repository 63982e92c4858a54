// SPDX-License-Identifier: GPL-2.0-only
/// Measured times, by which those of closed forms are corrected.
///
///     time = closed form * factor,    factor = measured / closed form at a measured size
///
/// The closed form knows how times grow between sizes, so a few of them correct all. Each measured
/// size is met. The logarithm of the factor at others is that of ordinary kriging (D. Krige, 1951;
/// G. Matheron, 1963): a mean, and a deviation that sizes have in common the less, the further they
/// are apart,
///
///     covariance = exp(-doublings between them / 16) x (1, or 1/4 by another algorithm or
///     protocol)
///
/// So it lies between the factors of neighbours, beyond the last size it turns slowly to the mean,
/// and a size that is off on its own draws those by other protocols along but little. Both numbers
/// are those with which three rows of published tables met the others best
/// (docs/studies/clusters.md). Between two numbers of ranks it is linear in their logarithm, beyond
/// the first and the last it is flat.
///
/// Groups within one server and groups over several are apart. Of two with equal ranks, the one
/// counts whose servers are nearest. Not modelled: other collectives at the same time, unless they
/// were there when it was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/records/calibration_row.h"

namespace heddle {

class Calibration {
 public:
  /// What a closed form says of a measured row [s], > 0.
  using ClosedForm = std::function<double(const CalibrationRow&)>;

  /// `rows`: sizes of a kind all different, in any order.
  explicit Calibration(std::vector<CalibrationRow> rows);

  /// Returns the number by which the closed form of a kind and a size is to be multiplied; none if
  /// nothing is known of its operation within one server, or over several. `closed_form`: where
  /// prices are by another one than that of the rows.
  std::optional<double> Factor(const CalibratedKind& kind, double bytes,
                               const ClosedForm& closed_form = ClosedFormOfRow) const;
  /// Whether it has sizes of the operation by this algorithm and protocol, within one server or
  /// over several.
  bool Has(const CalibratedKind& kind) const;

  /// Describes what was measured: "ALLREDUCE (8, 64 ranks), ALLGATHER (64 ranks)".
  std::string Describe() const;

 private:
  /// Returns the closed form's time that was noted with the measured one [s].
  static double ClosedFormOfRow(const CalibrationRow& row) { return row.closed_form; }
  /// Rows of equal operation, ranks and servers: [first, last) of rows_.
  struct Group {
    std::size_t first = 0, last = 0;
  };
  /// Returns the kind of all its rows, but for algorithm and protocol.
  const CalibratedKind& KindOf(const Group& group) const { return rows_[group.first].kind; }
  /// Returns the logarithm of the factor among a group's rows.
  double LogFactorIn(const Group& group, const CalibratedKind& kind, double bytes,
                     const ClosedForm& closed_form) const;

  std::vector<CalibrationRow> rows_;  ///< by operation, ranks, servers, bytes
  std::vector<Group> groups_;
};

}  // namespace heddle
