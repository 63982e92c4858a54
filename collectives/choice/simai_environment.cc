// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/simai_environment.h"

namespace heddle {
namespace {

EnvironmentVariable Unused(const char* name, const char* reason) {
  EnvironmentVariable variable;
  variable.name = name;
  variable.unused = reason;
  return variable;
}

EnvironmentFamily MakeSimaiFamily() {
  EnvironmentFamily family;
  family.owner = "SimAI";
  family.prefix = "AS_";
  family.variables = {
      {"AS_SEND_LAT", {"flow.send_latency"}},
      {"AS_NVLS_ENABLE", {"collective.nvls"}},
      {"AS_PXN_ENABLE", {"collective.pxn"}},
      Unused("AS_NVLSTREE_ENABLE",
             "SimAI reads it nowhere; NVLS over several servers is NVLS-Tree, or set "
             "algorithm.allreduce=nvls_tree"),
      Unused("AS_LOG_LEVEL", "there is no such log"),
      Unused("AS_GPU_TYPE", "the GPU type is in the topology's header"),
      Unused("AS_NV_CHANNELS", "the number of channels follows from the group"),
      Unused("AS_RING_CHANNELS", "the number of channels follows from the group"),
      Unused("AS_NET_BW", "rates are in the topology"),
      Unused("AS_SIM_THREADS", "a run is as parallel as the MPI ranks that it is started with"),
  };
  return family;
}

}  // namespace

const EnvironmentFamily& SimaiVariables() {
  static const EnvironmentFamily family = MakeSimaiFamily();
  return family;
}

}  // namespace heddle
