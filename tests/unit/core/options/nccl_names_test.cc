// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/nccl_names.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

TEST(NcclNames, OperationsAreOneWordInSmallLetters) {
  for (const char* name : {"allreduce", "ALLREDUCE", "all_reduce", "all_reduce_perf", "AllReduce"})
    EXPECT_EQ(PlainOperation(name), "allreduce") << name;
  EXPECT_EQ(PlainOperation("reduce_scatter_perf"), "reducescatter");
  EXPECT_EQ(PlainOperation("alltoall_perf"), "alltoall");
  EXPECT_EQ(PlainOperation("_perf"), "perf");
  EXPECT_EQ(PlainOperation(""), "");
}

TEST(NcclNames, LettersOfSizesArePowersOf1024) {
  EXPECT_EQ(ParseBufferSize("1K").count, 1024);
  EXPECT_EQ(ParseBufferSize("8k").count, 8192);
  EXPECT_EQ(ParseBufferSize("1.5M").count, 3 << 19);
  EXPECT_EQ(ParseBufferSize("8G").count, std::int64_t{8} << 30);
  // The others stay what they are elsewhere.
  EXPECT_EQ(ParseBufferSize("1MiB").count, 1 << 20);
  EXPECT_EQ(ParseBufferSize("1MB").count, 1'000'000);
  EXPECT_EQ(ParseBufferSize("4096").count, 4096);
}

TEST(NcclNames, SizesThatAreNone) {
  for (const char* text : {"", "K", "1Ki", "-1K", "1KK", "x1K", "1T", "99999999999G"})
    EXPECT_THROW(ParseBufferSize(text), UserError) << text;
}

TEST(NcclNames, ExactSizesLoseNothing) {
  EXPECT_EQ(ExactSize({65536}), "64 KiB");
  EXPECT_EQ(ExactSize({3 << 20}), "3 MiB");
  EXPECT_EQ(ExactSize({3000}), "3000 B");
  EXPECT_EQ(ExactSize({0}), "0 B");
  EXPECT_EQ(ExactSize({std::int64_t{1} << 40}), "1 TiB");
}

}  // namespace
}  // namespace heddle
