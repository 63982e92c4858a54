// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/run_flags.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/app/run/arguments/astra_files.h"
#include "core/app/run/recorder/run_attributes.h"
#include "tests/support/message_of.h"
#include "transport/run/backends/make_backend.h"

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
  for (const char* name : {"fluid", "Packet", "loggops", "", "pack\tet"}) {
    const std::string message = MessageOf([&] { Parse({"--backend", name}); }, ExitCode::kUsage);
    EXPECT_EQ(message, "--backend: found '" + Printable(name) +
                           "'. Expected: packet, analytical, physical, flow");
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

RunArguments ParseAstra(const std::vector<std::string>& words) {
  RunArguments run;
  EXPECT_TRUE(ParseRunArguments(words, &run));
  return run;
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(RunFlags, AstraSimsFilesStandForTheTopologyAndTheConfiguration) {
  const RunArguments run =
      ParseAstra({"--astra-network", "net.txt", "--astra-system", "sys.txt", "-w", "w.txt"});
  EXPECT_EQ(run.topology, "net.txt");
  EXPECT_EQ(run.conf, "sys.txt");
  EXPECT_NE(MessageOf(
                [] {
                  ParseAstra({"-w", "w.txt"});
                },
                ExitCode::kUsage)
                .find("required"),
            std::string::npos);
  MessageOf([] { Parse({"--astra-network", "net.txt"}); }, ExitCode::kUsage);
  MessageOf([] { Parse({"-c", "a.conf", "--astra-system", "s.txt"}); }, ExitCode::kUsage);
  EXPECT_EQ(MessageOf(
                [] {
                  Parse({"--astra-system", ""});
                },
                ExitCode::kUsage),
            "--astra-system: the name of the file is empty");
}

TEST(RunFlags, AstraSimsFlagsRefuseFilesOfOtherKinds) {
  const std::string network = Write("astra_net.txt", "flit-width : 1024\nnum-npus: 8\n");
  const std::string system = Write("astra_sys.txt", "\nboost-mode: 0\n");
  CheckAstraFiles(ParseAstra({"--astra-network", network, "--astra-system", system, "-w", "w"}));
  EXPECT_EQ(MessageOf(
                [&] {
                  CheckAstraFiles(ParseAstra({"--astra-network", system, "-w", "w"}));
                },
                ExitCode::kBadInput),
            "--astra-network: " + system +
                " does not begin as such a file (it looks like a system file of ASTRA-SIM: heddle "
                "run --astra-system FILE). Expected: a network file of ASTRA-SIM, lines such "
                "as 'num-npus: 8' or 'npus_count: [8]'");
  const std::string conf = Write("simai.conf", "ENABLE_QCN 1\n");
  const std::string message = MessageOf(
      [&] {
        CheckAstraFiles(Parse({"--astra-system", conf}));
      },
      ExitCode::kBadInput);
  EXPECT_NE(message.find("it looks like a SimAI.conf"), std::string::npos) << message;
}

}  // namespace
}  // namespace heddle
