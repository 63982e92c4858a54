// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/ranks_main.h"

#include "core/engine/engine_session.h"

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep allocations until the process ends; leak checks would report them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main() {
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const heddle::Communicator world = heddle::Communicator::World();
  return world.Min(heddle::TestOnRanks(world) ? 1 : 0) == 1 ? 0 : 1;
}
