// SPDX-License-Identifier: GPL-2.0-only
/// The check of every MPI return value. For core's own sources only: nothing else includes mpi.h.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace heddle::detail {

/// Throws std::runtime_error with MPI's text unless `status` is MPI_SUCCESS. `call`: its source
/// text.
inline void CheckMpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string(call) + ": " +
                           std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace heddle::detail

#define HEDDLE_MPI(call) ::heddle::detail::CheckMpi((call), #call)
