// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/simai_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest_name.h"

namespace heddle {
namespace {

constexpr const char* kUsed[] = {"AS_SEND_LAT", "AS_NVLS_ENABLE", "AS_PXN_ENABLE"};

struct Unused {
  const char* name;
  const char* reason;
};
constexpr Unused kUnused[] = {
    {"AS_NVLSTREE_ENABLE",
     "SimAI reads it nowhere; NVLS over several servers is NVLS-Tree, or set "
     "algorithm.allreduce=nvls_tree"},
    {"AS_LOG_LEVEL", "there is no such log"},
    {"AS_GPU_TYPE", "the GPU type is in the topology's header"},
    {"AS_NV_CHANNELS", "the number of channels follows from the group"},
    {"AS_RING_CHANNELS", "the number of channels follows from the group"},
    {"AS_NET_BW", "rates are in the topology"},
    {"AS_SIM_THREADS", "a run is as parallel as the MPI ranks that it is started with"},
};

void Warn(const std::string& name, std::vector<std::string>* warnings) {
  std::vector<std::string> known(std::begin(kUsed), std::end(kUsed));
  for (const Unused& unused : kUnused) known.emplace_back(unused.name);
  warnings->push_back(fmt::format("environment variable {} is none of SimAI's; the nearest is {}",
                                  Printable(name), Nearest(name, known)));
}

}  // namespace

void ApplySimaiEnvironment(const Environment& environment, OptionSet* options,
                           std::vector<std::string>* echo, std::vector<std::string>* warnings) {
  for (const auto& [name, value] : environment) {
    if (name.rfind("AS_", 0) != 0) continue;
    const std::string& wanted = name;  // a lambda cannot hold a structured binding
    const auto* unused = std::find_if(std::begin(kUnused), std::end(kUnused),
                                      [&](const Unused& u) { return wanted == u.name; });
    if (std::find(std::begin(kUsed), std::end(kUsed), name) != std::end(kUsed)) {
      options->Set(name, value, {"environment variable " + name, 0});
      echo->push_back(fmt::format("{}={}", name, Printable(value)));
    } else if (unused != std::end(kUnused)) {
      echo->push_back(fmt::format("{}={}: not used ({})", name, Printable(value), unused->reason));
    } else {
      Warn(name, warnings);
    }
  }
}

}  // namespace heddle
