// SPDX-License-Identifier: GPL-2.0-only
/// Algorithms for tests, as a user could write them.
#ifndef HEDDLE_TESTS_SUPPORT_PROGRAMS_CUSTOM_PROGRAMS_H_
#define HEDDLE_TESTS_SUPPORT_PROGRAMS_CUSTOM_PROGRAMS_H_

#include <cstdint>
#include <string>

#include "collectives/custom/custom_algorithm.h"

namespace heddle {

/// A step on chunk `chunk` of one buffer, its source and destination.
inline CustomStep StepOn(CustomStep::Kind kind, CustomChunks::Buffer buffer, std::uint32_t chunk,
                         std::uint32_t count = 1) {
  CustomStep step;
  step.kind = kind;
  step.source = step.destination = {buffer, chunk};
  step.count = count;
  return step;
}

/// AllReduce in place by a ring on one channel: one thread block a GPU, of 2n - 1 steps.
inline CustomAlgorithm RingAllReduce(std::uint32_t n) {
  using Kind = CustomStep::Kind;
  CustomAlgorithm ring;
  ring.file = "ring.xml";
  ring.name = "ring";
  ring.in_place = true;
  ring.chunks = n;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    CustomBlock block;
    block.to = (rank + 1) % n;
    block.from = (rank + n - 1) % n;
    const auto add = [&](Kind kind, std::uint32_t behind) {
      block.steps.push_back(
          StepOn(kind, CustomChunks::Buffer::kInput, (rank + 2 * n - behind) % n));
    };
    add(Kind::kSend, 0);
    for (std::uint32_t k = 1; k + 1 < n; ++k) add(Kind::kReceiveReduceCopySend, k);
    add(Kind::kReceiveReduceCopySend, n - 1);
    for (std::uint32_t k = n; k + 2 < 2 * n; ++k) add(Kind::kReceiveCopySend, k);
    add(Kind::kReceive, 2 * n - 2);
    ring.gpus.push_back({n, n, 0, {block}});
  }
  return ring;
}

/// AllToAll in two steps over servers of `locals` GPUs: what goes to another server is gathered by
/// the GPU of the sender's server with the destination's place, in scratch, and sent as one
/// message.
inline CustomAlgorithm TwoStepAllToAll(std::uint32_t servers, std::uint32_t locals) {
  using Kind = CustomStep::Kind;
  using Buffer = CustomChunks::Buffer;
  const std::uint32_t n = servers * locals;
  CustomAlgorithm algorithm;
  algorithm.file = "two_step.xml";
  algorithm.name = "two_step";
  algorithm.operation = Operation::kAllToAll;
  algorithm.chunks = n;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    const std::uint32_t server = rank / locals, local = rank % locals;
    CustomGpu gpu{n, n, servers * locals, {}};
    // The own part of what this GPU gathers; scratch chunk server x locals + local of the sender.
    CustomBlock own;
    for (std::uint32_t s = 0; s < servers; ++s) {
      CustomStep copy = StepOn(Kind::kCopy, Buffer::kInput, s * locals + local);
      copy.destination = s == server ? CustomChunks{Buffer::kOutput, rank}
                                     : CustomChunks{Buffer::kScratch, s * locals + local};
      own.steps.push_back(copy);
    }
    gpu.blocks.push_back(own);
    // To and from each other GPU of the server: all chunks for GPUs of its place.
    for (std::uint32_t other = 0; other < locals; ++other) {
      if (other == local) continue;
      CustomBlock block;
      block.to = block.from = server * locals + other;
      for (std::uint32_t s = 0; s < servers; ++s)
        block.steps.push_back(StepOn(Kind::kSend, Buffer::kInput, s * locals + other));
      for (std::uint32_t s = 0; s < servers; ++s) {
        block.steps.push_back(s == server
                                  ? StepOn(Kind::kReceive, Buffer::kOutput, server * locals + other)
                                  : StepOn(Kind::kReceive, Buffer::kScratch, s * locals + other));
      }
      gpu.blocks.push_back(block);
    }
    // To and from the GPU of this place in each other server: the gathered chunks at once.
    for (std::uint32_t s = 0; s < servers; ++s) {
      if (s == server) continue;
      CustomBlock block;
      block.to = block.from = s * locals + local;
      block.channel = 1;
      for (std::uint32_t b = 0; b < locals; ++b) {
        CustomStep wait;
        wait.wait_block = b;
        wait.wait_step = static_cast<std::uint32_t>(gpu.blocks[b].steps.size()) - 1;
        block.steps.push_back(wait);
      }
      block.steps.push_back(StepOn(Kind::kSend, Buffer::kScratch, s * locals, locals));
      block.steps.push_back(StepOn(Kind::kReceive, Buffer::kOutput, s * locals, locals));
      gpu.blocks.push_back(block);
    }
    algorithm.gpus.push_back(gpu);
  }
  return algorithm;
}

}  // namespace heddle

#endif  // HEDDLE_TESTS_SUPPORT_PROGRAMS_CUSTOM_PROGRAMS_H_
