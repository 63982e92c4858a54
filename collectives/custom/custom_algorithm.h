// SPDX-License-Identifier: GPL-2.0-only
/// A collective algorithm that a user brings: what each thread block of each GPU does, step by
/// step.
///
/// Source: Cowan et al., "MSCCLang: Microsoft Collective Communication Language" (ASPLOS 2023), and
/// the XML files of its compiler. A GPU has an input, an output and a scratch buffer, cut into
/// chunks of equal size. A thread block sends to at most one GPU and receives from at most one, and
/// does its steps in order; a step may wait for a step of another block of its GPU.
#ifndef HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_ALGORITHM_H_
#define HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_ALGORITHM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Chunks of one of a GPU's buffers.
struct CustomChunks {
  enum class Buffer : std::uint8_t { kInput, kOutput, kScratch };

  Buffer buffer = Buffer::kInput;
  std::uint32_t first = 0;
};

/// What a thread block does at once. The sum of a reduction is of what came and the source.
struct CustomStep {
  enum class Kind : std::uint8_t {
    kNop,                    ///< only waits
    kSend,                   ///< source
    kReceive,                ///< to destination
    kCopy,                   ///< source to destination
    kReduce,                 ///< adds source to destination
    kReceiveCopySend,        ///< to destination, and sends it on
    kReceiveReduceCopy,      ///< the sum, to destination
    kReceiveReduceSend,      ///< sends the sum
    kReceiveReduceCopySend,  ///< the sum, to destination, and sends it
  };
  static constexpr std::uint32_t kNone = ~0U;

  Kind kind = Kind::kNop;
  CustomChunks source, destination;
  std::uint32_t count = 0;                              ///< of chunks, > 0 unless kNop
  std::uint32_t wait_block = kNone, wait_step = kNone;  ///< of its GPU, that must be over; or kNone

  bool sends() const;
  bool receives() const;
  /// Whether it adds what came to its source.
  bool reduces() const;
  bool reads() const;   ///< its source
  bool writes() const;  ///< its destination
};

/// Steps that a GPU does one after the other.
struct CustomBlock {
  static constexpr std::uint32_t kNobody = ~0U;

  std::uint32_t to = kNobody,
                from = kNobody;  ///< GPUs to which it sends and from which it receives
  std::uint32_t channel = 0;
  std::vector<CustomStep> steps;
};

struct CustomGpu {
  std::uint32_t input = 0, output = 0, scratch = 0;  ///< chunks of its buffers
  std::vector<CustomBlock> blocks;
};

struct CustomAlgorithm {
  std::string file;  ///< for messages, printable
  std::string name;
  Operation operation = Operation::kAllReduce;  ///< AllReduce, AllGather, ReduceScatter, AllToAll
  Protocol protocol = Protocol::kSimple;
  bool in_place = false;     ///< input and output share memory, as in NCCL
  std::uint32_t chunks = 0;  ///< of the operation's full buffer, > 0
  std::vector<CustomGpu> gpus;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(gpus.size()); }
  std::uint64_t CountSteps() const;
  /// "NAME.xml: GPU 3, thread block 2, step 5".
  std::string PlaceOf(std::uint32_t gpu, std::uint32_t block, std::uint32_t step) const;
};

/// A pair of thread blocks whose sends and receives meet, in order.
struct CustomConnection {
  std::uint32_t source = 0, destination = 0, channel = 0;  ///< GPUs
  std::uint32_t source_block = 0, destination_block = 0;

  /// Order by the members that name it.
  bool operator<(const CustomConnection& other) const;
};

/// The connections, ascending. Throws UserError with the place for two blocks of a GPU that send to
/// the same GPU on the same channel, a sender without a receiver, and counts that differ; and for
/// numbers of GPUs, blocks, steps and chunks that do not exist.
std::vector<CustomConnection> ConnectionsOf(const CustomAlgorithm& algorithm);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_ALGORITHM_H_
