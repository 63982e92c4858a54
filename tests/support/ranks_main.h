// SPDX-License-Identifier: GPL-2.0-only
/// Interface of tests under mpirun without GoogleTest: ranks_main.cc contains their main().
#pragma once

#include "core/mpi/communicator.h"

namespace heddle {

/// The test, run on every rank; returns false if it failed on this rank. The program's exit code is
/// 0 if it returned true on all ranks.
bool TestOnRanks(const Communicator& world);

}  // namespace heddle
