// SPDX-License-Identifier: GPL-2.0-only
/// Measured latencies and efficiencies in place of those of closed forms.
///
///     time = latency + ports / efficiency
///
/// ports: the time in which the bytes cross the busiest port (port_load.h), or the bus
/// (collective_price.h). Latency: of a kind, all messages of a collective together. Efficiency: of
/// a kind and a size. Between two sizes 1 / efficiency is linear in the logarithm of the size;
/// between two numbers of ranks it and the latency are, in the logarithm of the ranks; beyond the
/// first and the last both are flat. So the time is continuous in the size, and grows with it.
///
/// Kinds within one server and kinds over several are apart. Of two kinds with equal ranks, the one
/// counts whose servers are nearest. Not modelled: other collectives at the same time, unless they
/// were there when it was measured.
#ifndef HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_H_
#define HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/calibration_row.h"

namespace heddle {

class Calibration {
 public:
  /// `rows`: latencies of a kind are equal, sizes of a kind all different, in any order.
  explicit Calibration(std::vector<CalibrationRow> rows);

  struct Values {
    double latency = 0;   ///< [s]
    double slowness = 1;  ///< 1 / efficiency
    double TimeOf(double ports) const { return latency + ports * slowness; }
  };
  /// Values for a kind and a size; none if nothing is known of its operation, algorithm and
  /// protocol within one server, or over several.
  std::optional<Values> Find(const CalibratedKind& kind, double bytes) const;

  /// "ALLREDUCE TREE SIMPLE (8, 64 ranks), ALLGATHER RING SIMPLE (64 ranks)".
  std::string Describe() const;

 private:
  struct Size {
    double log_bytes, slowness;
  };
  struct Kind {
    CalibratedKind kind;
    double latency = 0;
    std::vector<Size> sizes;  ///< ascending
    double SlownessOf(double log_bytes) const;
  };

  std::vector<Kind> kinds_;  ///< by operation, algorithm, protocol, ranks, servers
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_H_
