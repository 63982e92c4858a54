// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_arguments.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string FabricRefusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FabricArguments, SizesDoubleFromOneToTheNext) {
  EXPECT_EQ(ParseSizes("1KiB-6KiB"), (std::vector<std::int64_t>{1024, 2048, 4096}));
  EXPECT_EQ(ParseSizes("5"), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(ParseSizes("64KiB,1MiB"), (std::vector<std::int64_t>{65536, 1048576}));
}

TEST(FabricArguments, SizesThatAreNone) {
  EXPECT_EQ(FabricRefusal([] { ParseSizes("2MiB-1MiB"); }),
            "--sizes 2MiB-1MiB: 0 sizes. Expected: 1 to 64, such as 1MiB-256MiB or 64KiB,16MiB");
  EXPECT_EQ(FabricRefusal([] { ParseSizes("0,1"); }),
            "--sizes 0,1: found 0. Expected: sizes above 0");
  EXPECT_EQ(FabricRefusal([] { ParseSizes("1MiB,2MiB,1024KiB"); }),
            "--sizes 1MiB,2MiB,1024KiB: 1.00 MiB twice. Expected: different sizes");
  for (const char* text : {"", "-", "1MiB-", "x", "1MiB,,2MiB", "1e30", "1MiB-9EiB"}) {
    EXPECT_NE(FabricRefusal([&] { ParseSizes(text); }), "accepted") << text;
  }
}

TEST(FabricArguments, ACollectiveIsALineASize) {
  EXPECT_EQ(CollectiveWorkload("allreduce", {1024, 2048}),
            "MICRO\n2\nbytes_1024 -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1024 0\n"
            "bytes_2048 -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 2048 0\n");
  EXPECT_NE(FabricRefusal([] { CollectiveWorkload("allreduces", {1024}); }), "accepted");
}

TEST(FabricArguments, WhatStandsBehindTwoDashesIsForTheRuns) {
  std::vector<std::string> words = {"a", "-g", "8", "--", "--passes", "2"};
  EXPECT_EQ(TakeRunFlags(&words), (std::vector<std::string>{"--passes", "2"}));
  EXPECT_EQ(words, (std::vector<std::string>{"a", "-g", "8"}));
  EXPECT_TRUE(TakeRunFlags(&words).empty());
}

TEST(FabricArguments, WhatDoesNotFitTogether) {
  FabricArguments given;
  given.fabrics = {"a"};
  EXPECT_EQ(FabricRefusal([&] { CheckFabricArguments(given); }),
            "found 1 fabric. Expected: 2 to 8");
  given.fabrics = {"a", "b"};
  EXPECT_EQ(FabricRefusal([&] { CheckFabricArguments(given); }),
            "neither -w nor --collective is given. Expected: one of them");
  given.workload = "w";
  CheckFabricArguments(given);
  given.run_flags = {"-n", "x"};
  EXPECT_NE(FabricRefusal([&] { CheckFabricArguments(given); }), "accepted");
  given.run_flags.clear();
  given.collective = "allreduce";
  EXPECT_EQ(FabricRefusal([&] { CheckFabricArguments(given); }),
            "-w and --collective are both given. Expected: one of them");
}

}  // namespace
}  // namespace heddle
