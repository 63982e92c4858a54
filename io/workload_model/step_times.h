// SPDX-License-Identifier: GPL-2.0-only
/// Compute times of the lines of a step: by the roofline, or by a table where it has the block.
#pragma once

#include "io/workload_model/compute_table.h"
#include "io/workload_model/gpu_speed.h"

namespace heddle {

/// Times of a block's parts (BlockWork).
struct BlockTimes {
  PhaseTimes column, pairs, row;

  PhaseTimes all() const;  ///< the whole block
};

class ComputeTimes {
 public:
  /// Times of blocks that `table` has are the table's.
  ComputeTimes(const LayerWork& work, GpuSpeed gpu, double efficiency, double fp8_efficiency,
               const ComputeTable& table);

  /// Returns the times of a block's parts. The table's time of a block is divided over them as the
  /// roofline's.
  BlockTimes Of(BlockKind kind) const;

 private:
  PhaseTimes Roofline(const PhasesOfWork& work) const;  ///< rounded up to the nanosecond

  LayerWork work_;
  GpuSpeed gpu_;
  double efficiency_, fp8_efficiency_;
  ComputeTable table_;
};

}  // namespace heddle
