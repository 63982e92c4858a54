// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/running_sum.h"

#include <mpi.h>

#include "core/base/check.h"
#include "core/mpi/mpi_check.h"
#include "core/mpi/polled_wait.h"

namespace heddle {

struct RunningSum::State {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  Values mine{}, sums{};
  bool open = false;
};

RunningSum::RunningSum() : state_(std::make_unique<State>()) {
  state_->comm = DuplicateCommunicator();
}

// A sum that is open when the run fails stays open: MPI may still write into it.
RunningSum::~RunningSum() {
  if (state_->open) static_cast<void>(state_.release());
}

bool RunningSum::open() const { return state_->open; }

void RunningSum::Join(const Values& mine) {
  HEDDLE_INVARIANT(!state_->open, "a sum is open already");
  state_->mine = mine;
  state_->open = true;
  HEDDLE_MPI(MPI_Iallreduce(state_->mine.data(), state_->sums.data(),
                            static_cast<int>(state_->mine.size()), MPI_INT64_T, MPI_SUM,
                            state_->comm, &state_->request));
}

bool RunningSum::Take(Values* sums) {
  if (!state_->open) return false;
  int done = 0;
  HEDDLE_MPI(MPI_Test(&state_->request, &done, MPI_STATUS_IGNORE));
  if (done == 0) return false;
  state_->open = false;
  *sums = state_->sums;
  return true;
}

}  // namespace heddle
