// SPDX-License-Identifier: GPL-2.0-only
/// main() of GoogleTest programs that run simulations; it holds the ns-3 and MPI session.
#include <gtest/gtest.h>

#include "core/engine/engine_session.h"

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep allocations until the process ends; leak checks would report them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  return RUN_ALL_TESTS();
}
