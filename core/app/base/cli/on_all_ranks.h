// SPDX-License-Identifier: GPL-2.0-only
/// Commands that work on all ranks of MPI, without a run's locks, logs and watchdogs.
#pragma once

#include <functional>

#include "core/mpi/communicator.h"

namespace heddle {

/// Starts MPI and calls `work` on every rank. Returns its exit code; that of a SharedError, which
/// the root prints. Other errors pass.
int OnAllRanks(const std::function<int(const Communicator& world)>& work);

}  // namespace heddle
