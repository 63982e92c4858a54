// SPDX-License-Identifier: GPL-2.0-only
/// The table of `heddle bench`: times and bus bandwidths by size, as nccl-tests count them, a
/// column an algorithm, and what was measured beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "io/analysis/measured_times.h"
#include "io/table/json_document.h"

namespace heddle {

/// One time of a size.
struct BenchCell {
  double seconds = 0;
  double bus_bandwidth = 0;    ///< byte/s
  double line_rate = 0;        ///< share of it, as KindTimes has it; 0: not known
  std::string algorithm = {};  ///< "RING LL128"; empty: measured
};
struct BenchColumn {
  std::string name;
  std::vector<std::optional<BenchCell>> cells;  ///< by size
};
struct BenchTable {
  std::string operation, fabric, group;  ///< "ALLREDUCE", file, "all" or a type of group
  std::uint32_t ranks = 0;
  std::vector<std::int64_t> sizes;
  std::vector<BenchColumn> simulated;
  std::optional<BenchColumn> measured;
};

/// "ALLREDUCE of 16 ranks on fabric.txt, groups of type TP"
std::string TitleOf(const BenchTable& table);

/// Returns the mean times of a result's collectives, by size.
BenchColumn SimulatedColumn(const std::string& name, const std::vector<KindTimes>& kinds,
                            const std::vector<std::int64_t>& sizes);

/// Reads what nccl-tests printed of this operation on so many ranks. Throws UserError with the file
/// for another operation or number of ranks, or if it has none of the sizes.
BenchColumn MeasuredColumn(const std::string& text, const std::string& file, Operation operation,
                           std::uint32_t ranks, const std::vector<std::int64_t>& sizes);

/// Prints one simulated column as nccl-tests prints it, with the algorithm of each size and the
/// share of line rate. Of several the fastest time of each size has a star. Measured times have the
/// error of the fastest.
std::string BenchText(const BenchTable& table);
/// Returns a line a size, and columns for times [us] and bandwidths [GB/s].
std::string BenchCsv(const BenchTable& table);
/// Returns the object of --json: a row for each size and column, those of what was measured last.
/// `page`: file.
OrderedJson BenchJson(const BenchTable& table, const std::string& page);
/// "tree is fastest up to 1 MiB, ring from 2 MiB on"; empty for one column.
std::string FastestText(const BenchTable& table);

}  // namespace heddle
