// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_study.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/app/studies/analytical/busbw_file.h"
#include "core/app/studies/analytical/step_text.h"
#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

const std::string kStudyHeader =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
    "all_gpus: 8\n";

/// One row: 1 ms forward, and an AllReduce of 2^30 bytes.
/// A path in a folder of this process's own: tests run side by side.
std::string OwnFile(const std::string& name) {
  static const TemporaryFolder folder;
  return folder.In(name);
}

std::string WorkloadFile(const std::string& header) {
  const std::string path = OwnFile("step_study.txt");
  std::ofstream(path) << header << "1\na -1 1000000 ALLREDUCE 1073741824 0 NONE 0 0 NONE 0 0\n";
  return path;
}

StepArguments StudyArguments(const std::string& header = kStudyHeader) {
  StepArguments given;
  given.workload = WorkloadFile(header);
  return given;
}

double StepSeconds(const StepArguments& given) { return StudyStep(given).step.total; }

TEST(StepStudy, TypesHaveBandwidths) {
  StepArguments given = StudyArguments();
  given.gpu_type = "h800";
  given.nic_type = "CX6";
  const StepStudy study = StudyStep(given);
  EXPECT_NEAR(study.rates.nvlink, 164.8e9, 1e3);
  EXPECT_NEAR(study.rates.network, 23.5e9, 1);
  EXPECT_NEAR(study.rates.nvls, 215e9, 1);
  EXPECT_TRUE(study.warnings.empty());
}

TEST(StepStudy, ANetworkIsSharedByTheGpusOfAServer) {
  StepArguments given = StudyArguments();
  given.nic = 50;
  given.nics_per_server = 4;
  EXPECT_NEAR(StudyStep(given).rates.network, 25e9, 1);
}

TEST(StepStudy, UnitsAreSaid) {
  StepArguments given = StudyArguments();
  given.nvlink = 175;
  // 1.75 x 2^30 bytes; 8.4 + 14 x 3.4 us.
  EXPECT_NEAR(StepSeconds(given), 1e-3 + 56e-6 + 1.75 * 1.073741824 / 175, 1e-9);
  given.simai_units = true;
  EXPECT_NEAR(StepSeconds(given), 1e-3 + 56e-6 + 0.01, 1e-9);
}

TEST(StepStudy, AFileReplacesSingleBandwidths) {
  StepArguments given = StudyArguments();
  given.bandwidths = OwnFile("step_study.yaml");
  std::ofstream(given.bandwidths) << "some text\nTP:\nallreduce,: 50\nallgather,: null\n";
  EXPECT_NEAR(StepSeconds(given), 1e-3 + 56e-6 + 1.75 * 1.073741824 / 50, 1e-9);
}

TEST(StepStudy, MissingKeysAreTakenForOneWithAWarning) {
  const StepStudy study = StudyStep(
      StudyArguments("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 all_gpus: 8\n"));
  ASSERT_EQ(study.warnings.size(), 1U);
  EXPECT_NE(study.warnings[0].find(":1: no ep:, pp:, vpp:, ga: there"), std::string::npos)
      << study.warnings[0];
}

TEST(StepStudy, WhatCannotBeIsRefused) {
  const auto refuses = [](const StepArguments& given, const std::string& part) {
    try {
      StudyStep(given);
    } catch (const UserError& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    }
    return false;
  };
  StepArguments given = StudyArguments();
  given.gpus = 12;
  EXPECT_TRUE(refuses(given, "TP 8 x PP 1 does not divide 12 GPUs"));
  given = StudyArguments();
  given.gpu_type = "B200";
  EXPECT_TRUE(refuses(given, "--gpu-type: 'B200' has no bandwidth"));
  given = StudyArguments();
  given.stage_weights = {1, 2};
  EXPECT_TRUE(refuses(given, "--stage-weights: found 2 weights"));
  given = StudyArguments("HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n");
  EXPECT_TRUE(refuses(given, "-g is not given"));
}

TEST(StepStudy, SimaisNamesAreTaken) {
  const std::vector<std::string> words =
      WithLongNames({"-w", "x", "-g_p_s", "8", "-nv", "360", "--nic_busbw", "48.5", "-v", "1"});
  EXPECT_EQ(words, (std::vector<std::string>{"-w", "x", "--gpus-per-server", "8", "--nvlink", "360",
                                             "--nic", "48.5", "-v"}));
  EXPECT_EQ(WithLongNames({"-v", "0", "-r"}), (std::vector<std::string>{"-r"}));
}

TEST(StepStudy, TextBeginsWithTheTimeOfTheStep) {
  StepArguments given = StudyArguments();
  given.nvlink = 175;
  const StepStudy study = StudyStep(given);
  const std::string text = StepText(study);
  EXPECT_EQ(text.rfind("step time                 11.793 ms\n", 0), 0U) << text;
  EXPECT_NE(text.find("exposed TP              10.793 ms  91.52 % of 10.793 ms\n"),
            std::string::npos)
      << text;
  const std::string csv = StepCsv("n-", study);
  EXPECT_NE(csv.find("\na,analytical,1000.000,0.000,0.000,10793.418,0.000,0.000,10793.418,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",RING,SIMPLE,NVLink,NONE,NONE,-,NONE,NONE,-\n"), std::string::npos) << csv;
}

TEST(CheckedBusbwFile, RefusesWhatSimaiSkips) {
  const auto refuses = [](const std::string& text, const std::string& part) {
    try {
      CheckedBusBandwidthFile(text, "b.yaml");
    } catch (const UserError& error) {
      return std::string(error.what()).rfind(part, 0) == 0;
    }
    return false;
  };
  EXPECT_EQ(CheckedBusBandwidthFile("TP:\nallreduce,: 300\n", "b").tensor.all_reduce, 300);
  EXPECT_TRUE(refuses("\nXP:\n", "b.yaml:2: section"));
  EXPECT_TRUE(refuses("x\nTP:\nbroadcast,: 3\n", "b.yaml:3: "));
  EXPECT_TRUE(refuses("x\nTP:\nallreduce,: -1\n", "b.yaml:3: \"-1\""));
  EXPECT_TRUE(refuses("x\nTP:\nallreduce,: 1x\n", "b.yaml:3: \"1x\""));
  EXPECT_TRUE(refuses("x\nallreduce,: 1\n", "b.yaml:2: "));
}

}  // namespace
}  // namespace heddle
