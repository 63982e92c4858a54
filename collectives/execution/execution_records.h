// SPDX-License-Identifier: GPL-2.0-only
/// What the execution of collectives writes down: plain records, gathered and joined into tables by
/// collective_tables.cc.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_RECORDS_H_
#define HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_RECORDS_H_

#include <cstdint>

#include "collectives/job/program.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// A collective of one group, as far as the GPUs of one MPI rank saw it.
struct CollectiveRecord {
  std::uint32_t job = 0;
  std::uint32_t operation = 0;  ///< pass * ops + op (program.h)
  std::uint32_t group = 0;      ///< of its type
  std::uint32_t finished = 0;   ///< ranks that have finished it
  Time start = Time::Max();     ///< earliest issue
  Time end;                     ///< latest finish

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& job& operation& group& finished& start& end;
  }
};

/// Sums over all passes of what one layer cost one GPU. Arrays by Phase.
struct LayerRecord {
  std::uint32_t job = 0;
  std::uint32_t rank = 0;  ///< of the job
  NodeId gpu;
  std::uint32_t layer = 0;
  Time compute[kPhases];
  Time exposed[kPhases];  ///< the GPU did nothing but wait for it
  Time total[kPhases];    ///< from issue to finish
  Time tail;      ///< of exposed weight gradients, what was waited for after the last step of the
                  ///< program
  Time pipeline;  ///< waited for in groups of pipeline stages; not in exposed, and their time not
                  ///< in total

  /// The sums; the rest is fixed by the inputs.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& compute& exposed& total& tail& pipeline;
  }
};

/// An interval of a GPU's time line.
struct StepRecord {
  enum class Kind : std::uint8_t { kCompute, kCommunicate };
  std::uint32_t job = 0;
  NodeId gpu;
  std::uint32_t pass = 0;
  std::uint32_t layer = 0;
  std::uint32_t operation = 0;  ///< of kCommunicate
  Phase phase = Phase::kForward;
  Kind kind = Kind::kCompute;
  Time start, end;
};

/// When a GPU's program ended.
struct FinishRecord {
  std::uint32_t job = 0;
  std::uint32_t rank = 0;
  NodeId gpu;
  Time end;  ///< negative: it did not
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_RECORDS_H_
