// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/demo/demo_text.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

FabricResult DemoResult(const std::string& name, double compute_us, double exposed_us) {
  FabricResult result;
  result.fabric.name = name;
  result.figures.step_ps = (compute_us + exposed_us) * 1e6;
  result.figures.shares = {{"computing", "", compute_us * 1e6},
                           {"exposed DP", "", exposed_us * 1e6}};
  result.result = "here/" + name + ".h5";
  return result;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DemoText, HeadHasTheCommandsOfThePlan) {
  DemoArguments given;
  given.folder = "my demo";
  const std::string head = DemoHead(MakeDemoPlan(given));
  EXPECT_TRUE(Has(head, "\n  heddle workload gpt --gpus 64 ")) << head;
  EXPECT_TRUE(Has(head, "\n  mkdir -p 'my demo'\n")) << head;
  EXPECT_TRUE(Has(head, " > 'my demo/step.txt'\n")) << head;
  EXPECT_TRUE(Has(head,
                  "\n  heddle compare-fabrics spectrum-x 'dcn-singletor -npa 16' -g 64 -w 'my "
                  "demo/step.txt' -o 'my demo'\n"))
      << head;
}

TEST(DemoText, ForceIsHandedOn) {
  DemoArguments given;
  EXPECT_FALSE(Has(DemoHead(MakeDemoPlan(given)), "--force"));
  given.force = true;
  EXPECT_TRUE(Has(DemoHead(MakeDemoPlan(given)), " -o heddle-demo --force\n"));
}

TEST(DemoText, NextIsAboutTheSlowerFabricInWhicheverOrder) {
  const DemoPlan plan = MakeDemoPlan({});
  const FabricResult fast = DemoResult("fast", 10, 20), slow = DemoResult("slow", 11, 50);
  for (const Comparison& made : {Comparison{0, {fast, slow}, "here/page.html"},
                                 Comparison{0, {slow, fast}, "here/page.html"}}) {
    const std::string next = DemoNext(plan, made, "");
    EXPECT_TRUE(Has(next, "\n  here/page.html in a browser")) << next;
    EXPECT_TRUE(Has(
        next, "\"exposed DP\" above, where they differ most: 20.0 us on fast, 50.0 us on slow\n"))
        << next;
    EXPECT_TRUE(Has(next, "\n  heddle analyze step here/slow.h5\n")) << next;
    EXPECT_TRUE(Has(next, "\n  heddle analyze links here/slow.h5 --top 3\n")) << next;
    EXPECT_FALSE(Has(next, "fast.h5")) << next;
    EXPECT_FALSE(Has(next, "guide")) << next;
  }
}

TEST(DemoText, EqualFabricsDifferInNoRow) {
  const Comparison made{0, {DemoResult("a", 10, 20), DemoResult("b", 10, 20)}, "page.html"};
  const std::string next = DemoNext(MakeDemoPlan({}), made, "docs/guide/05-comparing-fabrics.md");
  EXPECT_FALSE(Has(next, "differ most")) << next;
  EXPECT_TRUE(Has(next, "\n  docs/guide/05-comparing-fabrics.md\n")) << next;
}

}  // namespace
}  // namespace heddle
