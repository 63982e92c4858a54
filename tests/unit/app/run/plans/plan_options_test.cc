// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/plans/plan_options.h"

#include <gtest/gtest.h>

#include "core/app/run/setup/all_options.h"
#include "io/plan/plan_file.h"
#include "io/workload_model/memory_use.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

StepPlan PlanOfText(const std::string& text) {
  return ResolvePlanFile(ParsePlan(text, "mine.toml", ""), "mine.toml");
}

TEST(PlanOptions, EachKeyOfExpertsIsAnOption) {
  const AllOptions all;
  for (const ExpertKey& key : ExpertKeys())
    EXPECT_TRUE(all.options.Knows(std::string("experts.") + key.key)) << key.key;
}

TEST(PlanOptions, WhatTheUserSetsWins) {
  const StepPlan plan = PlanOfText(
      "model = \"gpt-7b\"\ngpus = 8\npp = 4\nschedule = \"zb-h1\"\nsenders = \"wait\"\n");
  AllOptions all;
  all.options.Set("pipeline.schedule", "gpipe");
  AppliedPlans applied;
  ApplyPlan(plan, "mine.toml", &all.options, &applied);
  EXPECT_EQ(all.collectives.pipeline.schedule, "gpipe");
  EXPECT_TRUE(all.collectives.pipeline.senders_wait());
  EXPECT_EQ(applied.Describe(), "pipeline.senders=wait; given: pipeline.schedule=gpipe");
}

TEST(PlanOptions, WordsThatNoOptionHasAreRefused) {
  const StepPlan plan = PlanOfText("model = \"gpt-7b\"\ngpus = 8\npp = 4\nschedule = \"zb-h2\"\n");
  EXPECT_EQ(MessageOf([&] {
              CheckPlanOptions(plan, "mine.toml");
            }).rfind("mine.toml: schedule: found 'zb-h2'. Expected 1f1b, ", 0),
            0u);
}

// The formulas by which memory is counted, against the orders of the tables.
TEST(PlanOptions, OpenMicroBatchesAreThoseOfTheTable) {
  const char* const orders[] = {"schedule = \"1f1b\"\n",
                                "schedule = \"gpipe\"\n",
                                "schedule = \"zb-h1\"\n",
                                "schedule = \"dualpipe\"\n",
                                "schedule = \"dualpipev\"\n",
                                "vpp = 2\n",
                                "vpp = 4\n",
                                "vpp = 2\ngroup = 8\n"};
  for (const char* order : orders) {
    for (const char* batch : {"16", "32", "96"}) {
      const StepPlan plan =
          PlanOfText(std::string("model = \"gpt-7b\"\ngpus = 8\npp = 4\nglobal_batch = ") + batch +
                     "\n" + order);
      EXPECT_EQ(CheckPlanOptions(plan, "mine.toml"), UsualLoad(plan.parallel).first)
          << order << batch;
    }
  }
}

}  // namespace
}  // namespace heddle
