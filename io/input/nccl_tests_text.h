// SPDX-License-Identifier: GPL-2.0-only
/// What nccl-tests print (https://github.com/NVIDIA/nccl-tests), and `heddle export --nccl-tests`.
///
/// A line of numbers has: size, count, type, reduction, root, and then time [us], two bandwidths
/// and wrong values, out of place and (of nccl-tests) in place. Older versions lack the root, and
/// where nothing is reduced the reduction. Lines that begin with '#' are comments, of which some
/// name the test, the ranks, or (of heddle's) the operation. A line of a shell or of mpirun that
/// has the name of a test ("mpirun -np 16 ./build/all_reduce_perf -b 8") names the test of the
/// times after it. Lines of NCCL's own log are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/traffic/workload.h"

namespace heddle {

struct NcclTestsRow {
  std::int64_t bytes = 0;          ///< of the full buffer, > 0
  double out_of_place = 0;         ///< [s], > 0
  std::optional<double> in_place;  ///< [s], > 0; none: the test has no such time
};

/// The lines of one operation and number of ranks.
struct NcclTestsSection {
  Operation operation = Operation::kNone;  ///< kNone: the text does not say
  std::uint32_t ranks = 0;                 ///< 0: the text does not say
  std::vector<NcclTestsRow> rows;          ///< at least one
};

/// Sections in their order, at least one. Sizes of 0 are left out. Throws UserError with file
/// `name` and line.
std::vector<NcclTestsSection> ParseNcclTests(std::string_view text, const std::string& name);

}  // namespace heddle
