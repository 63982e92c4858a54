// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_proof.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/programs/custom_programs.h"

namespace heddle {
namespace {

using Kind = CustomStep::Kind;
using Buffer = CustomChunks::Buffer;

std::string ErrorOf(const CustomAlgorithm& algorithm) {
  try {
    ProveCustom(algorithm);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

void ExpectError(const CustomAlgorithm& algorithm, const std::string& part) {
  const std::string error = ErrorOf(algorithm);
  EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' has no '" << part << "'";
}

/// Each GPU sends its chunk to all others, out of place.
CustomAlgorithm DirectAllGather(std::uint32_t n) {
  CustomAlgorithm algorithm;
  algorithm.file = "gather.xml";
  algorithm.operation = Operation::kAllGather;
  algorithm.chunks = n;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    CustomGpu gpu{1, n, 0, {}};
    CustomStep copy = StepOn(Kind::kCopy, Buffer::kInput, 0);
    copy.destination = {Buffer::kOutput, rank};
    gpu.blocks.push_back({CustomBlock::kNobody, CustomBlock::kNobody, 0, {copy}});
    for (std::uint32_t other = 0; other < n; ++other) {
      if (other == rank) continue;
      gpu.blocks.push_back({other,
                            other,
                            0,
                            {StepOn(Kind::kSend, Buffer::kInput, 0),
                             StepOn(Kind::kReceive, Buffer::kOutput, other)}});
    }
    algorithm.gpus.push_back(gpu);
  }
  return algorithm;
}

TEST(CustomProof, AcceptsWhatIsRight) {
  for (const std::uint32_t n : {2U, 3U, 8U}) EXPECT_EQ(ErrorOf(RingAllReduce(n)), "") << n;
  for (const std::uint32_t locals : {1U, 2U, 4U})
    EXPECT_EQ(ErrorOf(TwoStepAllToAll(3, locals)), "") << locals;
  EXPECT_EQ(ErrorOf(DirectAllGather(5)), "");
}

TEST(CustomProof, ReduceScatterInPlaceLeavesThePartOfItsRank) {
  CustomAlgorithm halves;
  halves.file = "halves.xml";
  halves.operation = Operation::kReduceScatter;
  halves.in_place = true;
  halves.chunks = 2;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    halves.gpus.push_back({2,
                           1,
                           0,
                           {{1 - rank,
                             1 - rank,
                             0,
                             {StepOn(Kind::kSend, Buffer::kInput, 1 - rank),
                              StepOn(Kind::kReceiveReduceCopy, Buffer::kInput, rank)}}}});
  }
  EXPECT_EQ(ErrorOf(halves), "");
  halves.gpus[1].blocks[0].steps[1].destination.first = 0;
  ExpectError(halves, "halves.xml: GPU 1, output chunk 0");
}

TEST(CustomProof, RefusesAWrongResult) {
  CustomAlgorithm ring = RingAllReduce(4);
  ring.gpus[2].blocks[0].steps[3].kind = Kind::kReceiveCopySend;
  ExpectError(ring, "that are not those of ALLREDUCE");
  ring = RingAllReduce(4);
  ring.gpus[1].blocks[0].steps[2].source.first = 0;
  ExpectError(ring, "ring.xml: GPU ");
  CustomAlgorithm gather = DirectAllGather(3);
  gather.gpus[0].blocks[0].steps.clear();
  ExpectError(gather, "GPU 0, output chunk 0: nothing was written to it");
}

TEST(CustomProof, RefusesAnInputThatIsAddedTwice) {
  CustomAlgorithm ring = RingAllReduce(3);
  CustomStep again = StepOn(Kind::kReduce, Buffer::kInput, 1);
  ring.gpus[1].blocks[0].steps.insert(ring.gpus[1].blocks[0].steps.begin(), again);
  ExpectError(ring, "ring.xml: GPU 1, thread block 0, step 0: it adds an input that is in the sum");
}

TEST(CustomProof, RefusesStepsThatWaitForEachOther) {
  CustomAlgorithm ring = RingAllReduce(3);
  for (CustomGpu& gpu : ring.gpus) gpu.blocks[0].steps.erase(gpu.blocks[0].steps.begin());
  for (CustomGpu& gpu : ring.gpus)
    gpu.blocks[0].steps.push_back(StepOn(Kind::kSend, Buffer::kInput, 0));
  ExpectError(ring, "GPU 0, thread block 0, step 0: it waits for a message that is never sent");
  CustomAlgorithm waits = TwoStepAllToAll(2, 2);
  waits.gpus[0].blocks[0].steps[0].wait_block = 2;
  waits.gpus[0].blocks[0].steps[0].wait_step = 0;
  ExpectError(waits, "which never ends");
}

/// Without the waits the gathered chunks are sent before they have come, in some orders.
TEST(CustomProof, RefusesARace) {
  CustomAlgorithm race = TwoStepAllToAll(2, 3);
  for (CustomStep& step : race.gpus[4].blocks.back().steps) step.wait_block = CustomStep::kNone;
  EXPECT_NE(ErrorOf(race), "");
}

TEST(CustomProof, RefusesEndsThatDoNotMeet) {
  CustomAlgorithm ring = RingAllReduce(3);
  ring.gpus[1].blocks[0].channel = 1;
  ExpectError(ring, "GPU 0 sends to GPU 1 on channel 0, where nothing receives");
  ring = RingAllReduce(3);
  ring.gpus[1].blocks[0].steps.pop_back();
  ExpectError(ring, "from GPU 0 to GPU 1 on channel 0: 4 sends and 3 receives");
  ring = RingAllReduce(3);
  ring.gpus[0].blocks[0].steps[0].count = 2;
  ExpectError(ring, "send 0 has 2 chunks, its receive has 1");
  ring = RingAllReduce(3);
  ring.gpus[2].blocks.push_back(ring.gpus[2].blocks[0]);
  ExpectError(ring, "two thread blocks of GPU 2 send to GPU 0 on channel 0");
}

TEST(CustomProof, RefusesNumbersThatDoNotExist) {
  CustomAlgorithm ring = RingAllReduce(3);
  ring.gpus[0].blocks[0].to = 7;
  ExpectError(ring, "its thread block sends with GPU 7. Expected: another one of GPUs 0 to 2");
  ring = RingAllReduce(3);
  ring.gpus[0].blocks[0].steps[0].source.first = 3;
  ExpectError(ring, "chunks 3 to 3 of the input buffer, which has 3");
  ring = RingAllReduce(3);
  ring.gpus[0].blocks[0].steps[1].wait_block = 4;
  ring.gpus[0].blocks[0].steps[1].wait_step = 0;
  ExpectError(ring, "it waits for step 0 of thread block 4, which there is not");
  ring = RingAllReduce(3);
  ring.chunks = 4;
  ExpectError(ring, "3 chunks of input and 3 of output. Expected: 4 and 4");
  CustomAlgorithm gather = DirectAllGather(3);
  gather.chunks = 4;
  ExpectError(gather, "4 chunks a loop, which 3 GPUs cannot share");
}

}  // namespace
}  // namespace heddle
