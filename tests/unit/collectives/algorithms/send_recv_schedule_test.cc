// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/send_recv_schedule.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

CollectiveSpec Spec(std::int64_t bytes, Participant root, Participant peer) {
  CollectiveSpec spec;
  spec.operation = Operation::kSendRecv;
  spec.bytes = bytes;
  spec.root = root;
  spec.peer = peer;
  return spec;
}

void CheckAllPairs(const GroupShape& shape) {
  for (const bool pxn : {false, true}) {
    const CollectiveSpec to_next = Spec(11, 0, GroupShape::kNone);
    CheckSchedule(SendRecvSchedule(to_next, shape, pxn), to_next, shape, 0);
    CheckSchedule(SendRecvSchedule(to_next, shape, pxn), to_next, shape, 4);
    for (Participant from = 0; from < shape.ranks(); ++from) {
      for (Participant to = 0; to < shape.ranks(); ++to) {
        if (from == to) continue;
        const CollectiveSpec spec = Spec(11, from, to);
        CheckSchedule(SendRecvSchedule(spec, shape, pxn), spec, shape, 0);
      }
    }
  }
}

TEST(SendRecvSchedule, BringsTheMessage) {
  for (std::uint32_t n = 2; n <= 12; ++n) {
    for (const std::uint32_t server : {1U, 2U, 3U, 8U}) CheckAllPairs(GroupShape(n, server));
  }
  for (const GroupShape& shape : IrregularShapes()) CheckAllPairs(shape);
}

std::vector<std::string> Messages(const CollectiveSpec& spec, const GroupShape& shape) {
  std::vector<std::string> messages;
  SendRecvSchedule(spec, shape, true).ForEach([&](const GroupFlow& flow) {
    messages.push_back(Describe(flow));
  });
  return messages;
}

TEST(SendRecvSchedule, ChangesRailsByPxn) {
  const GroupShape both = OnGpus({0, 1, 8, 9});
  EXPECT_EQ(Messages(Spec(5, 0, 3), both),
            (std::vector<std::string>{"PXN_INIT channel 0 chunk 0: 0 -> 1",
                                      "PXN_NET channel 0 chunk 0: 1 -> 3"}));
  EXPECT_EQ(Messages(Spec(5, 0, 2), both),
            std::vector<std::string>{"DIRECT channel 0 chunk 0: 0 -> 2"});
  const GroupShape behind = OnGpus({0, 8, 9});
  EXPECT_EQ(Messages(Spec(5, 0, 2), behind),
            (std::vector<std::string>{"PXN_NET channel 0 chunk 0: 0 -> 1",
                                      "PXN_FINAL channel 0 chunk 0: 1 -> 2"}));
  const GroupShape neither = OnGpus({0, 9});
  EXPECT_EQ(Messages(Spec(5, 0, 1), neither),
            std::vector<std::string>{"DIRECT channel 0 chunk 0: 0 -> 1"});
}

}  // namespace
}  // namespace heddle
