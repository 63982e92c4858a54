// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/arguments/run_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/app/recorder/run_attributes.h"
#include "tests/support/message_of.h"
#include "transport/backends/make_backend.h"

namespace heddle {
namespace {

RunArguments Parse(std::vector<std::string> more) {
  more.insert(more.begin(), {"-n", "fabric.txt", "-w", "w.txt"});
  RunArguments run;
  EXPECT_TRUE(ParseRunArguments(more, &run));
  return run;
}

TEST(RunFlags, PacketsCarryTheTrafficUnlessItIsSaidOtherwise) {
  EXPECT_EQ(Parse({}).backend, "packet");
  EXPECT_EQ(Parse({"--backend", "packet"}).backend, "packet");
  EXPECT_EQ(ParseBackendKind("packet"), BackendKind::kPacket);
}

TEST(RunFlags, ABackendThatIsNotThereIsRefusedWithThoseThatAre) {
  for (const char* name : {"flow", "Packet", "physical", "", "pack\tet"}) {
    const std::string message = MessageOf([&] { Parse({"--backend", name}); }, ExitCode::kUsage);
    EXPECT_EQ(message, "--backend: found '" + Printable(name) + "'. Expected: packet, analytical");
  }
}

TEST(RunFlags, EveryBackendCanBeAskedFor) {
  ASSERT_FALSE(BackendNames().empty());
  for (const std::string& name : BackendNames())
    EXPECT_EQ(Parse({"--backend", name}).backend, name);
}

TEST(RunFlags, AResultsCommandLineNamesABackendThatIsNotTheDefault) {
  RunArguments run = Parse({"--backend", "packet"});
  EXPECT_EQ(CommandLine(run).find("--backend"), std::string::npos);
  run.backend = "other";
  EXPECT_NE(CommandLine(run).find(" --backend other"), std::string::npos);
}

}  // namespace
}  // namespace heddle
