// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/end_to_end_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/app/studies/analytical/step_chart.h"

namespace heddle {
namespace {

TEST(EndToEndText, RowsAndShares) {
  RawWorkload workload;
  workload.layers.resize(1);
  workload.layers[0].name = "a";
  SimaiStep step;
  step.rows.resize(1);
  SimaiRow& row = step.rows[0];
  row.forward = {1'000, 2'500, 2'500, 1.5F, 0.75F};
  row.weight_gradient = {3'000, 4'000, 2'000, 10, 20};
  row.input_gradient = {5'000, 6'000, 6'000, 30, 40};
  step.data = 2;
  step.tensor = 8.5;
  step.compute = 9;
  step.exposed = 10.5;
  step.total = 19.5;
  EXPECT_EQ(EndToEndText("n-", workload, step),
            "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
            "Expose_PP_comm, bubble time, total comp, total exposed comm, Total time\n"
            "n-, 2 (10.26%), 0 (0.00%), 8 (43.59%), 0 (0.00%), 0 (0.00%), 0 (0.00%), 9 (46.15%), "
            "10 (53.85%), 20\n"
            "layer_name,Analytical_test,fwd compute,wg compute,ig compute,fwd exposed comm,wg "
            "exposed comm,ig exposed comm,fwd total comm,algbw,busbw,wg total comm,algbw,busbw,ig "
            "total comm,algbw,busbw\n"
            "a,Analytical_test,1,3,5,2,2,6,2,1.50,0.75,4,10.00,20.00,6,30.00,40.00\n");
}

TEST(EndToEndText, WhatIsNoNumber) {
  SimaiStep step;
  step.bubble = step.total = std::numeric_limits<double>::quiet_NaN();
  const std::string text = EndToEndSummary("n", step);
  EXPECT_NE(text.find("\nn, 0 (-nan%),"), std::string::npos) << text;
  EXPECT_NE(text.find("NaN or Inf (-nan%), 0 (-nan%), 0 (-nan%), NaN or Inf\n"), std::string::npos)
      << text;
}

TEST(StepChart, NeedsNothingFromElsewhere) {
  SimaiStep step;
  step.compute = 3;
  step.tensor = 1;
  step.total = 4;
  const std::string page = StepChart("a<b", step, "en");
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_NE(page.find("a&lt;b"), std::string::npos);
  EXPECT_NE(page.find("3.000 us, 75.00%"), std::string::npos) << page;
  EXPECT_NE(StepChart("a", step, "ja").find("合計時間"), std::string::npos);
}

}  // namespace
}  // namespace heddle
