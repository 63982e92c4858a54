// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/calibration_csv.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

const std::string kCalibrationHead =
    "# heddle calibration 2\noperation,algorithm,protocol,ranks,servers,bytes,time_us,"
    "closed_form_us\n";

std::string WhyNoCalibration(const std::string& text) {
  try {
    ParseCalibration(text, "c.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CalibrationCsv, ReadsWhatItWrites) {
  const std::vector<CalibrationRow> rows = {
      {{Operation::kAllReduce, Algorithm::kNvlsTree, Protocol::kLl128, 64, 8},
       4096,
       85e-6,
       80.5e-6},
      {{Operation::kSendRecv, Algorithm::kDirect, Protocol::kNone, 2, 1}, 1, 2e-6, 10e-6}};
  const std::string text = CalibrationText(rows, {"from a.h5"});
  EXPECT_EQ(text,
            "# heddle calibration 2\n# from a.h5\n"
            "operation,algorithm,protocol,ranks,servers,bytes,time_us,closed_form_us\n"
            "ALLREDUCE,NVLS_TREE,LL128,64,8,4096,85,80.5\nSENDRECV,DIRECT,NONE,2,1,1,2,10\n");
  const std::vector<CalibrationRow> again = ParseCalibration(text, "c.txt");
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].kind.algorithm, Algorithm::kNvlsTree);
  EXPECT_DOUBLE_EQ(again[0].seconds, 85e-6);
  EXPECT_DOUBLE_EQ(again[0].closed_form, 80.5e-6);
  EXPECT_EQ(CalibrationText(again, {"from a.h5"}), text);
}

TEST(CalibrationCsv, NamesFileAndLine) {
  const auto begins = [](const std::string& text, const std::string& with) {
    EXPECT_EQ(WhyNoCalibration(text).rfind(with, 0), 0U) << WhyNoCalibration(text);
  };
  begins("a,b\n", "c.txt:1: first line \"a,b\"");
  begins("", "c.txt");
  begins("# heddle calibration 1\n", "c.txt:1: first line");
  begins("# heddle calibration 2\n", "c.txt: no columns");
  begins("# heddle calibration 2\nops\n", "c.txt:2: \"ops\"");
  begins(kCalibrationHead, "c.txt: no rows");
  begins(kCalibrationHead + "ALLREDUCE,RING\n", "c.txt:3: 2 columns");
  begins(kCalibrationHead + "ALLREDUCES,RING,LL,8,1,1,1,1\n", "c.txt:3: operation \"ALLREDUCES\"");
  begins(kCalibrationHead + "ALLREDUCE,RING,LL,8,9,1,1,1\n", "c.txt:3: servers \"9\"");
  begins(kCalibrationHead + "ALLREDUCE,RING,LL,8,1,0,1,1\n", "c.txt:3: bytes \"0\"");
  begins(kCalibrationHead + "ALLREDUCE,RING,LL,8,1,1,-1,1\n", "c.txt:3: time_us \"-1\"");
  begins(kCalibrationHead + "ALLREDUCE,RING,LL,8,1,1,nan,1\n", "c.txt:3: time_us \"nan\"");
  begins(kCalibrationHead + "ALLREDUCE,RING,LL,8,1,1,1,0\n", "c.txt:3: closed_form_us \"0\"");
  const std::string good = "ALLREDUCE,RING,LL,8,1,1,1,1\n";
  begins(kCalibrationHead + good + good, "c.txt:4: bytes 1 a second time");
}

}  // namespace
}  // namespace heddle
