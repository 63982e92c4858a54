// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/on_all_ranks.h"

#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"
#include "core/engine/engine_session.h"

namespace heddle {

int OnAllRanks(const std::function<int(const Communicator& world)>& work) {
  int argc = 0;
  char** argv = nullptr;
  Ns3Session session(EngineKind::kDomain, &argc, &argv);
  const Communicator world = Communicator::World();
  try {
    return work(world);
  } catch (const SharedError& error) {
    if (world.is_root()) PrintError(error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace heddle
