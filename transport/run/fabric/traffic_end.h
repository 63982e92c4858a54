// SPDX-License-Identifier: GPL-2.0-only
/// The end of the traffic as far as it is known at a cut: the time of its last event on any rank.
///
/// The time of a cut is later: at the end of a run GPUs compute, notices arrive and failures happen
/// after the traffic's last event. Samples of a time after the traffic's end belong to the end
/// (transport/domain/state/sampler.h). So only those of a time before the last event so far are
/// final, and only those may leave the domains. A type of its own, so that no other time is taken
/// for it.
#pragma once

#include "core/base/units.h"
#include "core/mpi/communicator.h"

namespace heddle {

class TrafficEnd {
 public:
  /// Takes the latest of all ranks' `mine`, each of its own domains (FabricDomain::now). At a cut,
  /// so that it never decreases. Collective.
  TrafficEnd(const Communicator& world, Time mine) : time_{world.Max(mine.ps)} {}

  Time time() const { return time_; }  ///< equal on all ranks

 private:
  Time time_;
};

}  // namespace heddle
