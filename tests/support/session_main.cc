// SPDX-License-Identifier: GPL-2.0-only
/// main() of GoogleTest programs that run simulations: ns-3 and MPI live as long as it does.
#include <gtest/gtest.h>

#include "core/engine.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  return RUN_ALL_TESTS();
}
