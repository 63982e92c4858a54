// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/simai_arguments.h"

#include <gtest/gtest.h>

#include "core/app/studies/analytical/result_name.h"

namespace heddle {
namespace {

using SimaiWords = std::vector<std::string>;

SimaiArguments ParseWords(SimaiWords words, SimaiProgram program = SimaiProgram::kAutomatic16) {
  words.insert(words.begin(), {"-g", "8", "-g_p_s", "8"});
  return ParseSimaiArguments(program, words);
}

/// The exit code; 3: bad input, 0: none.
int CodeOf(SimaiProgram program, const SimaiWords& words) {
  try {
    ParseSimaiArguments(program, words);
  } catch (const SimaiRefusal& refusal) {
    return refusal.code();
  } catch (const UserError& error) {
    return static_cast<int>(error.code());
  }
  return 0;
}

TEST(SimaiArguments, Programs) {
  EXPECT_EQ(ParseSimaiProgram("simai-analytical-1.6"), SimaiProgram::kAutomatic16);
  EXPECT_EQ(ParseSimaiProgram("simai-analytical-1.0"), SimaiProgram::kManual10);
  EXPECT_THROW(ParseSimaiProgram("simai-analytical-1.7"), UsageError);
}

TEST(SimaiArguments, Defaults) {
  const SimaiArguments given = ParseWords({});
  EXPECT_EQ(given.nvlink, -1);
  EXPECT_EQ(given.nic, -1);
  EXPECT_EQ(given.nics_per_server, 0);
  EXPECT_EQ(given.gpu_type, "A100");
  EXPECT_EQ(given.nic_type, "cx7");
  EXPECT_EQ(given.overlaps.data, 0);
  EXPECT_EQ(given.overlaps.pipeline, 1);
  EXPECT_EQ(given.result, "None");
}

TEST(SimaiArguments, ShortAndLongNames) {
  const SimaiArguments given = ParseWords({"--workload",
                                           "w",
                                           "--nvlink",
                                           "360",
                                           "--nic_busbw",
                                           "48.5",
                                           "--nic_per_server",
                                           "4",
                                           "--nic_type",
                                           "bf3",
                                           "--gpu_type",
                                           "h20",
                                           "--dp_overlap",
                                           "0.5",
                                           "-tp_o",
                                           "0.25",
                                           "-ep_o",
                                           "0.1",
                                           "--pp_overlap",
                                           "0",
                                           "--result",
                                           "r",
                                           "-r_f",
                                           "f",
                                           "-v",
                                           "1",
                                           "-l",
                                           "ja",
                                           "-g",
                                           "16"});
  EXPECT_EQ(given.workload, "w");
  EXPECT_EQ(given.nvlink, 360);
  EXPECT_EQ(given.nic, 48.5);
  EXPECT_EQ(given.nics_per_server, 4);
  EXPECT_EQ(given.nic_type, "bf3");
  EXPECT_EQ(given.gpu_type, "h20");
  EXPECT_EQ(given.overlaps.data, 0.5);
  EXPECT_EQ(given.overlaps.tensor, 0.25);
  EXPECT_EQ(given.overlaps.pipeline, 0);
  EXPECT_EQ(given.gpus.front(), 8);  // the first counts
  EXPECT_TRUE(given.chart);
  EXPECT_EQ(given.language, "ja");
}

TEST(SimaiArguments, EachProgramHasItsOwn) {
  EXPECT_EQ(CodeOf(SimaiProgram::kAutomatic16, {"-busbw", "x"}), 255);
  EXPECT_EQ(CodeOf(SimaiProgram::kAutomatic16, {"--dp-overlap-ratio", "1"}), 255);
  EXPECT_EQ(CodeOf(SimaiProgram::kAutomatic16, {"--bus-bandwidth", "8"}), 255);
  EXPECT_EQ(CodeOf(SimaiProgram::kManual10, {"-nv", "360"}), 255);
  EXPECT_EQ(CodeOf(SimaiProgram::kManual10, {"-n", "360"}), 255);
  EXPECT_EQ(CodeOf(SimaiProgram::kManual10, {"-busbw", "/nowhere"}), 255);
  EXPECT_EQ(ParseWords({"--dp-overlap-ratio", "0.5"}, SimaiProgram::kManual10).overlaps.data, 0.5);
}

TEST(SimaiArguments, AMissingValueAtTheEnd) {
  EXPECT_EQ(ParseWords({"-nv"}).nvlink, -1);
  EXPECT_EQ(CodeOf(SimaiProgram::kManual10, {"-g", "8", "-g_p_s", "8", "-w"}), 255);
}

TEST(SimaiArguments, AChartHasAValueInOneProgramOnly) {
  EXPECT_EQ(CodeOf(SimaiProgram::kAutomatic16, {"-v", "-r", "x"}), 3);
  EXPECT_TRUE(ParseWords({"-v", "-r", "x"}, SimaiProgram::kManual10).chart);
}

TEST(SimaiArguments, WhereSimaiCrashesIsBadInput) {
  const SimaiProgram program = SimaiProgram::kAutomatic16;
  EXPECT_EQ(CodeOf(program, {"-g_p_s", "8"}), 3);
  EXPECT_EQ(CodeOf(program, {"-g", "8"}), 3);
  EXPECT_EQ(CodeOf(program, {"-g", "0", "-g_p_s", "8"}), 3);
  EXPECT_EQ(CodeOf(program, {"-g", "many", "-g_p_s", "8"}), 3);
  EXPECT_EQ(CodeOf(program, {"-g", "8", "-g_p_s", "8", "-nv", "fast"}), 3);
}

TEST(SimaiArguments, HelpEndsTheReading) {
  const SimaiArguments given = ParseSimaiArguments(SimaiProgram::kAutomatic16, {"-h", "-zz"});
  EXPECT_TRUE(given.help);
  EXPECT_NE(SimaiHelp(SimaiProgram::kManual10).find("-busbw"), std::string::npos);
  EXPECT_EQ(SimaiHelp(SimaiProgram::kAutomatic16).find("-busbw"), std::string::npos);
}

TEST(SimaiResultName, AsGiven) {
  EXPECT_EQ(SimaiResultName(ParseWords({"-r", "x-"})), "x-");
  EXPECT_EQ(SimaiResultName(ParseWords({"-r", "x-", "-r_f", "f"})), "f/x-");
  EXPECT_EQ(SimaiResultName(ParseWords({"-r", "x-", "-r_f", "f/"})), "f/x-");
  EXPECT_EQ(SimaiResultName(ParseWords({"-r", "x/"})), "x/");
}

TEST(SimaiResultName, FromTheWorkloadsName) {
  const std::string workload = "in/gpt-world_size64-tp4-pp2-ep1-gbs64-mbs2-seq2048.txt";
  EXPECT_EQ(SimaiResultName(ParseWords({"-w", workload, "-nic", "48.5", "-dp_o", "0.25"})),
            "gpt-tp4-pp2-dp8-ga4-ep1-NVL8-388.0G-DP0.2-");
  EXPECT_EQ(SimaiResultName(ParseWords({"-w", workload, "-r", "x/"}, SimaiProgram::kManual10)),
            "x/gpt-tp4-pp2-dp8-ga4-ep1-NVL8-DP0-");
}

TEST(SimaiResultName, NamesWithoutSizesCrashThere) {
  EXPECT_THROW(SimaiResultName(ParseWords({"-w", "micro.txt"})), UserError);
  // Without batches the quotient is no number.
  EXPECT_EQ(SimaiResultName(ParseWords({"-w", "a_tp2-pp1"})),
            "-tp2-pp1-dp0-ga-2147483648-ep0-NVL8--8.0G-DP0.0-");
}

}  // namespace
}  // namespace heddle
