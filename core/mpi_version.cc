// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi_version.h"

#include <mpi.h>

#include "core/mpi_check.h"

namespace heddle {

std::string MpiVersion() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  HEDDLE_MPI(MPI_Get_library_version(text, &length));
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace heddle
