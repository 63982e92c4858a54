// SPDX-License-Identifier: GPL-2.0-only
/// Measured times, by which those of closed forms are corrected.
///
///     time = closed form * factor,    factor = measured / closed form at a measured size
///
/// Between two measured sizes the logarithm of the factor is linear in the logarithm of the size;
/// between two numbers of ranks it is, in the logarithm of the ranks; beyond the first and the last
/// both are flat. So a few sizes correct all: the closed form knows how times grow between them.
/// Sizes of the same algorithm and protocol count where they lie on both sides, else those of all
/// algorithms and protocols of the operation.
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
