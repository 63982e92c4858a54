// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/edge_wait.h"

#include <ns3/mpi-interface.h>

#include <thread>

#include "core/mpi/mpi_check.h"

namespace heddle {
namespace {

/// How long a wait polls before it sleeps [s].
double PollSeconds() {
  MPI_Comm node;
  HEDDLE_MPI(MPI_Comm_split_type(ns3::MpiInterface::GetCommunicator(), MPI_COMM_TYPE_SHARED, 0,
                                 MPI_INFO_NULL, &node));
  int ranks_here = 1;
  HEDDLE_MPI(MPI_Comm_size(node, &ranks_here));
  HEDDLE_MPI(MPI_Comm_free(&node));
  const bool shared_cores = static_cast<unsigned>(ranks_here) > std::thread::hardware_concurrency();
  return shared_cores ? 5e-6 : 10e-3;
}

}  // namespace

EdgeWait::EdgeWait(bool serial) : poll_seconds_(serial ? 0 : PollSeconds()) {}

void EdgeWait::ForAll(std::vector<MPI_Request>* requests) {
  Until([requests] {
    int done = 0;
    HEDDLE_MPI(MPI_Testall(static_cast<int>(requests->size()), requests->data(), &done,
                           MPI_STATUSES_IGNORE));
    return done != 0;
  });
}

}  // namespace heddle
