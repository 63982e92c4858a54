// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/check.h"

namespace heddle {
namespace {

using Kind = CustomStep::Kind;

const char* NameOf(CustomChunks::Buffer buffer) {
  switch (buffer) {
    case CustomChunks::Buffer::kInput:
      return "input";
    case CustomChunks::Buffer::kOutput:
      return "output";
    case CustomChunks::Buffer::kScratch:
      return "scratch";
  }
  return "";
}

std::uint32_t SizeOf(const CustomGpu& gpu, CustomChunks::Buffer buffer) {
  if (buffer == CustomChunks::Buffer::kInput) return gpu.input;
  return buffer == CustomChunks::Buffer::kOutput ? gpu.output : gpu.scratch;
}

/// Checks the numbers of an algorithm, and pairs its blocks.
class Connector {
 public:
  explicit Connector(const CustomAlgorithm& algorithm) : algorithm_(algorithm) {}

  std::vector<CustomConnection> Connect() {
    for (gpu_ = 0; gpu_ < algorithm_.ranks(); ++gpu_) CheckGpu(algorithm_.gpus[gpu_]);
    std::vector<CustomConnection> sends = Ends(/*sends=*/true), receives = Ends(false);
    for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i >= receives.size() || (i < sends.size() && sends[i] < receives[i]))
        FailAlone(sends[i], /*sends=*/true);
      if (i >= sends.size() || receives[i] < sends[i]) FailAlone(receives[i], false);
      sends[i].destination_block = receives[i].destination_block;
      CheckCounts(sends[i]);
    }
    return sends;
  }

 private:
  void CheckGpu(const CustomGpu& gpu) const {
    for (std::uint32_t block = 0; block < gpu.blocks.size(); ++block) {
      for (std::uint32_t step = 0; step < gpu.blocks[block].steps.size(); ++step)
        CheckStep(gpu, block, step);
    }
  }

  void CheckStep(const CustomGpu& gpu, std::uint32_t block, std::uint32_t number) const {
    const CustomBlock& own = gpu.blocks[block];
    const CustomStep& step = own.steps[number];
    const std::string where = algorithm_.PlaceOf(gpu_, block, number);
    CheckPeer(where, step.sends(), own.to, "sends");
    CheckPeer(where, step.receives(), own.from, "receives");
    if (step.kind != Kind::kNop && step.count == 0)
      FailInput({where, 0}, "no chunks", "cnt of at least 1");
    if (step.reads()) CheckChunks(where, gpu, step.source, step.count);
    if (step.writes()) CheckChunks(where, gpu, step.destination, step.count);
    if (step.wait_block == CustomStep::kNone) return;
    const bool exists = step.wait_block < gpu.blocks.size() &&
                        step.wait_step < gpu.blocks[step.wait_block].steps.size();
    if (!exists)
      FailInput({where, 0},
                fmt::format("it waits for step {} of thread block {}, which there is not",
                            step.wait_step, step.wait_block),
                "a step of this GPU");
    if (step.wait_block == block && step.wait_step >= number)
      FailInput({where, 0}, "it waits for itself or a later step of its thread block",
                "an earlier step");
  }

  void CheckPeer(const std::string& where, bool uses, std::uint32_t peer, const char* verb) const {
    if (!uses) return;
    if (peer == CustomBlock::kNobody)
      FailInput({where, 0}, fmt::format("it {}, and its thread block names no peer for that", verb),
                "a GPU of the algorithm");
    if (peer >= algorithm_.ranks() || peer == gpu_)
      FailInput({where, 0}, fmt::format("its thread block {} with GPU {}", verb, peer),
                fmt::format("another one of GPUs 0 to {}", algorithm_.ranks() - 1));
  }

  static void CheckChunks(const std::string& where, const CustomGpu& gpu,
                          const CustomChunks& chunks, std::uint32_t count) {
    const std::uint32_t size = SizeOf(gpu, chunks.buffer);
    if (count <= size && chunks.first <= size - count) return;
    FailInput({where, 0},
              fmt::format("chunks {} to {} of the {} buffer, which has {}", chunks.first,
                          std::uint64_t{chunks.first} + count - 1, NameOf(chunks.buffer), size),
              "chunks that it has");
  }

  /// All blocks that send, or all that receive, by the name of their connection.
  std::vector<CustomConnection> Ends(bool sends) {
    std::vector<CustomConnection> ends;
    for (std::uint32_t gpu = 0; gpu < algorithm_.ranks(); ++gpu) {
      const std::vector<CustomBlock>& blocks = algorithm_.gpus[gpu].blocks;
      for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const auto uses = [&](const CustomStep& s) { return sends ? s.sends() : s.receives(); };
        if (std::none_of(blocks[b].steps.begin(), blocks[b].steps.end(), uses)) continue;
        CustomConnection end;
        end.source = sends ? gpu : blocks[b].from;
        end.destination = sends ? blocks[b].to : gpu;
        end.channel = blocks[b].channel;
        (sends ? end.source_block : end.destination_block) = b;
        ends.push_back(end);
      }
    }
    std::stable_sort(ends.begin(), ends.end());
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (!(ends[i - 1] < ends[i])) FailTwice(ends[i], sends);
    }
    return ends;
  }

  [[noreturn]] void FailTwice(const CustomConnection& end, bool sends) const {
    const std::string which =
        sends ? fmt::format("GPU {} send to GPU {}", end.source, end.destination)
              : fmt::format("GPU {} receive from GPU {}", end.destination, end.source);
    FailInput({algorithm_.file, 0},
              fmt::format("two thread blocks of {} on channel {}", which, end.channel),
              "one for each peer and channel");
  }

  [[noreturn]] void FailAlone(const CustomConnection& end, bool sends) const {
    const std::string found =
        sends ? fmt::format("GPU {} sends to GPU {} on channel {}, where nothing receives from it",
                            end.source, end.destination, end.channel)
              : fmt::format("GPU {} receives from GPU {} on channel {}, where nothing sends to it",
                            end.destination, end.source, end.channel);
    FailInput({algorithm_.file, 0}, found, "a thread block at both ends");
  }

  /// Sends and receives meet in order, so the numbers of their chunks must be equal.
  void CheckCounts(const CustomConnection& connection) const {
    const auto counts = [&](std::uint32_t gpu, std::uint32_t block, bool sends) {
      std::vector<std::uint32_t> found;
      for (const CustomStep& step : algorithm_.gpus[gpu].blocks[block].steps) {
        if (sends ? step.sends() : step.receives()) found.push_back(step.count);
      }
      return found;
    };
    const auto sent = counts(connection.source, connection.source_block, true);
    const auto received = counts(connection.destination, connection.destination_block, false);
    if (sent == received) return;
    const auto differ = std::mismatch(
        sent.begin(), sent.begin() + std::min(sent.size(), received.size()), received.begin());
    const std::string where =
        fmt::format("{}: from GPU {} to GPU {} on channel {}", algorithm_.file, connection.source,
                    connection.destination, connection.channel);
    if (sent.size() != received.size())
      FailInput({where, 0}, fmt::format("{} sends and {} receives", sent.size(), received.size()),
                "one receive for each send");
    FailInput({where, 0},
              fmt::format("send {} has {} chunks, its receive has {}", differ.first - sent.begin(),
                          *differ.first, *differ.second),
              "equal numbers");
  }

  const CustomAlgorithm& algorithm_;
  std::uint32_t gpu_ = 0;
};

}  // namespace

bool CustomStep::sends() const {
  return kind == Kind::kSend || kind == Kind::kReceiveCopySend ||
         kind == Kind::kReceiveReduceSend || kind == Kind::kReceiveReduceCopySend;
}

bool CustomStep::receives() const {
  return kind == Kind::kReceive || kind >= Kind::kReceiveCopySend;
}

bool CustomStep::reduces() const { return kind >= Kind::kReceiveReduceCopy; }

bool CustomStep::reads() const {
  return kind == Kind::kSend || kind == Kind::kCopy || kind == Kind::kReduce || reduces();
}

bool CustomStep::writes() const {
  return kind == Kind::kReceive || kind == Kind::kCopy || kind == Kind::kReduce ||
         kind == Kind::kReceiveCopySend || kind == Kind::kReceiveReduceCopy ||
         kind == Kind::kReceiveReduceCopySend;
}

std::uint64_t CustomAlgorithm::CountSteps() const {
  std::uint64_t count = 0;
  for (const CustomGpu& gpu : gpus) {
    for (const CustomBlock& block : gpu.blocks) count += block.steps.size();
  }
  return count;
}

std::string CustomAlgorithm::PlaceOf(std::uint32_t gpu, std::uint32_t block,
                                     std::uint32_t step) const {
  return fmt::format("{}: GPU {}, thread block {}, step {}", file, gpu, block, step);
}

bool CustomConnection::operator<(const CustomConnection& other) const {
  return std::tie(source, destination, channel) <
         std::tie(other.source, other.destination, other.channel);
}

std::vector<CustomConnection> ConnectionsOf(const CustomAlgorithm& algorithm) {
  return Connector(algorithm).Connect();
}

}  // namespace heddle
