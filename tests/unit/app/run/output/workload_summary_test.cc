// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/workload_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using Text = std::vector<std::string>;
using F64 = std::vector<double>;

/// Two GPUs that compute 40 and 20 of 100 us, wait, and end after 100 and 90 us.
Table Jobs(std::int64_t end_us) {
  return {"jobs",
          "",
          {{"job", "1", "", U32{0}},
           {"gpus", "1", "", U32{2}},
           {"start_ps", "ps", "", I64{5'000'000}},
           {"end_ps", "ps", "", I64{end_us < 0 ? -1 : end_us * 1'000'000}}}};
}

Table Ranks() {
  return {"ranks",
          "",
          {{"job", "1", "", U32{0, 0}},
           {"rank", "1", "", U32{0, 1}},
           {"end_ps", "ps", "", I64{105'000'000, 95'000'000}}}};
}

Table Layers() {
  Table table{"layers", "", {{"job", "1", "", U32{0, 0}}, {"rank", "1", "", U32{0, 1}}}};
  const auto add = [&](const char* name, std::int64_t first, std::int64_t second) {
    table.columns.push_back({name, "ps", "", I64{first * 1'000'000, second * 1'000'000}});
  };
  add("fwd_compute_ps", 30, 10);
  add("ig_compute_ps", 6, 6);
  add("wg_compute_ps", 4, 4);
  add("fwd_exposed_ps", 5, 0);
  add("ig_exposed_ps", 0, 3);
  add("wg_exposed_ps", 52, 17);
  add("pp_exposed_ps", 2, 49);
  add("wg_tail_ps", 50, 10);
  return table;
}

Table Collectives(std::int64_t wait_us) {
  return {"collectives",
          "",
          {{"op", "1", "", Text{"ALLREDUCE", "SENDRECV", "SENDRECV"}},
           {"group_type", "1", "", Text{"TP", "PP", "PP"}},
           {"algorithm", "1", "", Text{"RING", "DIRECT", "DIRECT"}},
           {"ranks", "1", "", U32{8, 2, 2}},
           {"bytes", "byte", "", I64{1024, 1'000'000, 1'000'000}},
           {"time_ps", "ps", "", I64{30'000'000, 10'000'000, -1}},
           {"wait_ps", "ps", "", I64{0, wait_us * 1'000'000, 0}},
           {"ideal_ps", "ps", "", I64{0, 9'125'000, 9'125'000}},
           {"busbw", "B/s", "", F64{1e9, 1e11, 0}}}};
}

TEST(WorkloadSummary, NamesWhereTheTimeOfAllGpusWent) {
  const std::string text = SummarizeJobs(Jobs(105), Ranks(), Collectives(0), Layers());
  EXPECT_EQ(
      text.substr(0, text.find("collectives")),
      "job 0            100.000 us; its GPUs computed 30.00 % of the time, waited for forward "
      "2.50 %, input gradient 1.50 %, weight gradient 34.50 %, other stages 25.50 %, had ended "
      "5.00 %, changed state 1.00 %\n"
      "                 80.000 us without the wait for weight gradients after the last step\n");
  EXPECT_EQ(
      SummarizeJobs(Jobs(-1), Ranks(), {"", "", Collectives(0).columns}, Layers()).substr(0, 29),
      "job 0            did not end\n");
}

TEST(WorkloadSummary, WaitingForSendersHasAColumnOfItsOwn) {
  const std::string without = SummarizeJobs(Jobs(105), Ranks(), Collectives(0), Layers());
  EXPECT_EQ(without.find("waited us"), std::string::npos);
  EXPECT_NE(without.find("      10.000   100.00 GB/s       91.2 %\n"), std::string::npos)
      << without;
  const std::string with = SummarizeJobs(Jobs(105), Ranks(), Collectives(4000), Layers());
  EXPECT_NE(with.find("of line rate  before, waited us\n"), std::string::npos) << with;
  EXPECT_NE(with.find("      10.000   100.00 GB/s       91.2 %           4000.000\n"),
            std::string::npos)
      << with;
  EXPECT_NE(with.find("      30.000     1.00 GB/s            -              0.000\n"),
            std::string::npos)
      << with;
}

}  // namespace
}  // namespace heddle
