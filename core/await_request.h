// SPDX-License-Identifier: GPL-2.0-only
/// Waiting for MPI outside windows: watched, and without keeping a core busy for long. For core's
/// own sources only.
#ifndef HEDDLE_CORE_AWAIT_REQUEST_H_
#define HEDDLE_CORE_AWAIT_REQUEST_H_

#include <mpi.h>

namespace heddle {

/// Returns when the request is complete; ends the program if a rank that it waits for hangs
/// (core/patience.h).
void AwaitRequest(MPI_Request* request);

}  // namespace heddle

#endif  // HEDDLE_CORE_AWAIT_REQUEST_H_
