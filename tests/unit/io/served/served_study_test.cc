// SPDX-License-Identifier: GPL-2.0-only
#include "io/served/served_study.h"

#include <gtest/gtest.h>

#include "tests/support/made_result.h"

namespace heddle {
namespace {

/// Three requests: 0 waits for its KV, 1 for room, 2 is rejected. Instance 0 is GPU 0, 1 is GPU 2.
MadeResult ServedResult() {
  MadeResult result;
  AddCommon(&result);
  result.tables.push_back(TableOf("flows", 1,
                                  {{"src", U32{0}},
                                   {"dst", U32{2}},
                                   {"start_ps", I64{300}},
                                   {"fct_ps", I64{500}},
                                   {"received_ps", I64{700}},
                                   {"ideal_ps", I64{150}}}));
  result.tables.push_back(TableOf("serving/requests", 3,
                                  {{"request", U32{0, 1, 2}},
                                   {"state", Texts{"finished", "finished", "rejected"}},
                                   {"input_tokens", U32{10, 20, 30}},
                                   {"decoder", U32{1, 1, 0}},
                                   {"cached_tokens", U32{0, 8, 0}},
                                   {"unsent_tokens", U32{4, 3, 0}},
                                   {"arrival_ps", I64{0, 100, 200}},
                                   {"begun_ps", I64{50, 110, -1}},
                                   {"computed_ps", I64{200, 210, -1}},
                                   {"granted_ps", I64{250, 2000, -1}},
                                   {"sending_ps", I64{300, 2050, -1}},
                                   {"kv_arrived_ps", I64{700, 2100, -1}},
                                   {"first_token_ps", I64{800, 2200, -1}},
                                   {"last_token_ps", I64{900, 2300, -1}}}));
  result.tables.push_back(
      TableOf("serving/instances", 2, {{"instance", U32{0, 1}}, {"pool", Texts{"p", "d"}}}));
  result.tables.push_back(
      TableOf("serving/gpus", 2, {{"instance", U32{0, 1}}, {"gpu", U32{0, 2}}}));
  return result;
}

TEST(ServedStudy, PartsOfTheFirstToken) {
  const std::string path = TempPath("served.h5");
  ServedResult().Write(path);
  const ServedStudy study = StudyServed(path);
  EXPECT_EQ(study.requests, 3);
  ASSERT_EQ(study.finished.size(), 2U);
  EXPECT_EQ(study.slowest(), 1U);
  const ServedRequest &late = study.finished[0], &other = study.finished[1];
  EXPECT_EQ(late.request, 1U);
  EXPECT_EQ(late.parts, (std::array<std::int64_t, kServedParts>{10, 100, 1790, 100, 100}));
  EXPECT_EQ(late.ttft, 2100);
  EXPECT_EQ(late.longest(), ServedPart::kRoom);
  EXPECT_EQ(late.lost, -1);
  EXPECT_EQ(other.parts, (std::array<std::int64_t, kServedParts>{50, 150, 50, 450, 100}));
  EXPECT_EQ(other.longest(), ServedPart::kTransfer);
  EXPECT_EQ(other.lost, 350);  // 500 less 150 from GPU 0 to GPU 2
  EXPECT_EQ(other.destination, 2U);
  ASSERT_EQ(study.caches.size(), 2U);
  EXPECT_EQ(study.caches[0].pool, "p");
  EXPECT_EQ(study.caches[0].requests, 2);
  EXPECT_EQ(study.caches[0].prompts, 30);
  EXPECT_EQ(study.caches[0].cached, 8);
  EXPECT_EQ(study.caches[1].cached, 7);
  const ServedMeans means = MeansOf(study, 2);
  EXPECT_DOUBLE_EQ(means.parts[0], 30);
  EXPECT_DOUBLE_EQ(means.ttft, (2100 + 800) / 2.0);
  EXPECT_DOUBLE_EQ(means.lost, 350);
}

TEST(ServedStudy, OtherResultsAreRefused) {
  const std::string path = TempPath("other.h5");
  MadeResult result;
  AddCommon(&result);
  result.Write(path);
  EXPECT_EQ(MessageOf([&] { StudyServed(path); }),
            path + ": no requests. Expected: a result of heddle serve, or of heddle run --serve");
}

}  // namespace
}  // namespace heddle
