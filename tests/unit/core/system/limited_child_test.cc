// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/limited_child.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace heddle {
namespace {

TEST(LimitedChild, ItsExitCodeComesBack) {
  int mine = 1;
  const ChildEnd end = RunInChild({}, [&] { return mine = 7; });
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.failure, "");
  EXPECT_EQ(mine, 1) << "the child's memory is its own";
}

TEST(LimitedChild, ACrashIsTold) {
  const ChildEnd end = RunInChild({}, [] { return std::raise(SIGSEGV); });
  EXPECT_EQ(end.failure, "ended by signal 11 (Segmentation fault)");
  EXPECT_NE(end.exit_code, 0);
}

TEST(LimitedChild, AnEndlessOneIsStopped) {
  ChildLimits limits;
  limits.cpu_seconds = 1;
  const ChildEnd end = RunInChild(limits, [] {
    for (volatile unsigned i = 0;; i = i + 1) {
    }
    return 0;
  });
  EXPECT_EQ(end.failure, "did not end within 1 s");
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(LimitedChild, ItsMemoryIsBounded) {
  ChildLimits limits;
  limits.memory_bytes = std::uint64_t{64} << 20;
  const auto allocate = [](std::size_t bytes) {
    void* const volatile block = std::malloc(bytes);  // volatile: not optimised away
    const bool none = block == nullptr;
    std::free(block);
    return none ? 9 : 0;
  };
  EXPECT_EQ(RunInChild(limits, [&] { return allocate(std::size_t{1} << 30); }).exit_code, 9);
  EXPECT_EQ(RunInChild(limits, [&] { return allocate(std::size_t{1} << 20); }).exit_code, 0);
}
#endif

}  // namespace
}  // namespace heddle
