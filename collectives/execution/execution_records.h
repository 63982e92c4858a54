// SPDX-License-Identifier: GPL-2.0-only
/// Plain records of the execution of collectives; collectives/tables gathers and joins them
/// into tables.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collectives/program/program.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// A collective of one group, as the GPUs of one MPI rank recorded it.
struct CollectiveRecord {
  std::uint32_t job = 0;
  std::uint32_t operation = 0;  ///< pass * ops + op (program.h)
  std::uint32_t group = 0;      ///< number of the group within its type
  std::uint32_t finished = 0;   ///< ranks that have finished it
  Time start = Time::Max();     ///< earliest issue
  Time end;                     ///< latest finish
  /// When the first rank began it, as no collective before it on its communicator was running; when
  /// the sender issued it if it is between two ranks (IsBetweenTwo).
  Time sent = Time::Max();
  /// When all of a message between two ranks had arrived, which may be before the receiver issued
  /// it.
  Time arrived = Time{};

  /// Adds what other GPUs recorded of the same collective.
  void Join(const CollectiveRecord& other) {
    finished += other.finished;
    start = std::min(start, other.start);
    end = std::max(end, other.end);
    sent = std::min(sent, other.sent);
    arrived = std::max(arrived, other.arrived);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& job& operation& group& finished& start& end& sent& arrived;
  }
};

/// Time that one layer took on one GPU, summed over all passes. Arrays are by Phase.
struct LayerRecord {
  std::uint32_t job = 0;
  std::uint32_t rank = 0;  ///< of the job
  NodeId gpu;
  std::uint32_t layer = 0;
  Time compute[kPhases];
  Time exposed[kPhases];  ///< the GPU only waited for it
  Time total[kPhases];    ///< from issue to finish
  /// The portion of exposed weight gradients that was waited for after the program's last step.
  Time tail;
  /// Time waited in groups of pipeline stages, for messages to come or, after the last step, to
  /// leave; excluded from exposed, and their time from total.
  Time pipeline;

  /// Saves the sums; the other members follow from the inputs.
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
  std::uint32_t operation = 0;  ///< for kCommunicate
  Phase phase = Phase::kForward;
  Kind kind = Kind::kCompute;
  Time start, end;
};

/// End of a GPU's program.
struct FinishRecord {
  std::uint32_t job = 0;
  std::uint32_t rank = 0;
  NodeId gpu;
  Time end;  ///< negative: not finished
};

}  // namespace heddle
