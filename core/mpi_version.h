// SPDX-License-Identifier: GPL-2.0-only
/// Which MPI library the program runs with; only core knows MPI.
#ifndef HEDDLE_CORE_MPI_VERSION_H_
#define HEDDLE_CORE_MPI_VERSION_H_

#include <string>

namespace heddle {

/// "Open MPI v4.1.4": what the library says of itself, up to its first comma or line end. May be
/// called before MPI is started.
std::string MpiVersion();

}  // namespace heddle

#endif  // HEDDLE_CORE_MPI_VERSION_H_
