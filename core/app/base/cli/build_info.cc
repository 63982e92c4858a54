// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/build_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/version.hpp>

#include "core/app/base/cli/commands.h"
#include "core/mpi/communicator.h"
#include "io/hdf5/hdf5_library.h"

namespace heddle {

BuildInfo GetBuildInfo() {
  std::string boost = BOOST_LIB_VERSION;
  std::replace(boost.begin(), boost.end(), '_', '.');
  return {MpiVersion(),    Hdf5Version(), HEDDLE_NS3_VERSION, boost,
          HEDDLE_COMPILER, HEDDLE_FLAGS,  HEDDLE_BUILD_TYPE,  HEDDLE_PLATFORM};
}

std::string DescribeBuild() {
  const BuildInfo info = GetBuildInfo();
  return fmt::format(
      "{}\nMPI        {}\nHDF5       {}\nns-3       {}\nBoost      {}\ncompiler   {}, {} "
      "({})\nplatform   {}\n",
      VersionText(), info.mpi, info.hdf5, info.ns3, info.boost, info.compiler, info.build_type,
      info.flags, info.platform);
}

std::string VersionText() {
  return std::string("heddle ") + HEDDLE_VERSION + " (commit " + HEDDLE_GIT_COMMIT + ", " +
         HEDDLE_BUILD_TYPE + ")";
}

}  // namespace heddle
