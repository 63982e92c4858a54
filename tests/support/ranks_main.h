// SPDX-License-Identifier: GPL-2.0-only
/// What tests under mpirun that are no GoogleTest programs share: ranks_main.cc is their main().
#ifndef HEDDLE_TESTS_SUPPORT_RANKS_MAIN_H_
#define HEDDLE_TESTS_SUPPORT_RANKS_MAIN_H_

#include "core/mpi/communicator.h"

namespace heddle {

/// The test, on every rank; false if something is wrong on this one. The program ends with 0 if it
/// was true on all.
bool TestOnRanks(const Communicator& world);

}  // namespace heddle

#endif  // HEDDLE_TESTS_SUPPORT_RANKS_MAIN_H_
