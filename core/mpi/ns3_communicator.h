// SPDX-License-Identifier: GPL-2.0-only
/// The communicator of all ranks, as ns-3 holds it. For core's own sources only: nothing else
/// includes mpi.h.
#pragma once

#include <mpi.h>
#include <ns3/mpi-interface.h>

namespace heddle {

/// Returns the communicator with which ns-3's MpiInterface was enabled. Requires that it is
/// enabled.
inline MPI_Comm Ns3Communicator() { return ns3::MpiInterface::GetCommunicator(); }

}  // namespace heddle
