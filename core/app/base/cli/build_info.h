// SPDX-License-Identifier: GPL-2.0-only
/// What this program was built from and which libraries it runs with: for --version and for group
/// /run of results.
#pragma once

#include <string>

namespace heddle {

/// Human-readable texts. Library versions are those loaded at run time, not those compiled against.
struct BuildInfo {
  std::string mpi;         ///< "Open MPI v4.1.4"
  std::string hdf5;        ///< "1.10.8 (parallel)"
  std::string ns3;         ///< "3.37"
  std::string boost;       ///< "1.74"
  std::string compiler;    ///< "GNU 12.2.0"
  std::string flags;       ///< "-O3 -DNDEBUG"
  std::string build_type;  ///< "Release"
  std::string platform;    ///< "Linux x86_64"
};

/// Asks MPI and HDF5 for their versions; the rest was fixed when this program was built.
BuildInfo GetBuildInfo();

/// VersionText(), then one line for each member above, each with its line end.
std::string DescribeBuild();

}  // namespace heddle
