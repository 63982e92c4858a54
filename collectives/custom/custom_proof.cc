// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Inputs that were added: rank x chunks of an input + chunk, ascending; null: never written.
using Symbol = std::shared_ptr<const std::vector<std::uint64_t>>;

/// The chunks of input and output that the operation has for each rank.
struct Sizes {
  std::uint32_t input = 0, output = 0;
};

Sizes SizesOf(const CustomAlgorithm& algorithm) {
  const std::uint32_t full = algorithm.chunks, part = full / algorithm.ranks();
  switch (algorithm.operation) {
    case Operation::kAllGather:
      return {part, full};
    case Operation::kReduceScatter:
      return {full, part};
    default:
      return {full, full};
  }
}

void CheckSizes(const CustomAlgorithm& algorithm) {
  if (algorithm.operation != Operation::kAllReduce && algorithm.chunks % algorithm.ranks() != 0)
    FailInput({algorithm.file, 0},
              fmt::format("{} chunks a loop, which {} GPUs cannot share", algorithm.chunks,
                          algorithm.ranks()),
              "a multiple");
  const Sizes sizes = SizesOf(algorithm);
  for (std::uint32_t g = 0; g < algorithm.ranks(); ++g) {
    const CustomGpu& gpu = algorithm.gpus[g];
    const bool whole = algorithm.in_place || gpu.output == sizes.output;
    // In place the smaller buffer is a part of the larger one, which alone need be there.
    const std::uint32_t larger = std::max(gpu.input, gpu.output);
    const bool fits = algorithm.in_place ? larger == std::max(sizes.input, sizes.output)
                                         : gpu.input == sizes.input && whole;
    if (!fits)
      FailInput({fmt::format("{}: GPU {}", algorithm.file, g), 0},
                fmt::format("{} chunks of input and {} of output", gpu.input, gpu.output),
                fmt::format("{} and {}, as {} with {} chunks a loop has", sizes.input, sizes.output,
                            ToText(algorithm.operation), algorithm.chunks));
  }
}

/// One execution.
class Execution {
 public:
  Execution(const CustomAlgorithm& algorithm, const std::vector<CustomConnection>& connections)
      : algorithm_(algorithm), sizes_(SizesOf(algorithm)), underway_(connections.size()) {
    gpus_.resize(algorithm.ranks());
    for (std::uint32_t g = 0; g < algorithm.ranks(); ++g) Prepare(g);
    for (std::size_t c = 0; c < connections.size(); ++c) {
      const CustomConnection& connection = connections[c];
      gpus_[connection.source].blocks[connection.source_block].out = c;
      gpus_[connection.destination].blocks[connection.destination_block].in = c;
    }
  }

  /// `pick(n)` says which of n blocks goes on, all of which could.
  template <class Pick>
  void Run(const Pick& pick) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ready;
    for (;;) {
      ready.clear();
      for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
        for (std::uint32_t b = 0; b < gpus_[g].blocks.size(); ++b) {
          if (IsReady(g, b)) ready.emplace_back(g, b);
        }
      }
      if (ready.empty()) break;
      const auto [g, b] = ready[pick(ready.size())];
      // To the end of what it can do: the search for others is what takes time.
      while (IsReady(g, b)) Do(g, b);
    }
    CheckOver();
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) CheckOutput(g);
  }

 private:
  struct Block {
    std::size_t out = 0, in = 0;  ///< connections
    std::uint32_t next = 0;       ///< step
  };
  struct Gpu {
    std::vector<Symbol> input, output, scratch;
    std::vector<Block> blocks;
  };
  using Message = std::vector<Symbol>;

  void Prepare(std::uint32_t g) {
    Gpu& gpu = gpus_[g];
    gpu.blocks.resize(algorithm_.gpus[g].blocks.size());
    gpu.input.resize(algorithm_.gpus[g].input);
    gpu.output.resize(algorithm_.gpus[g].output);
    gpu.scratch.resize(algorithm_.gpus[g].scratch);
    if (algorithm_.in_place) gpu.output.assign(std::max(sizes_.input, sizes_.output), nullptr);
    for (std::uint32_t k = 0; k < sizes_.input; ++k) {
      const std::uint64_t symbol = std::uint64_t{g} * sizes_.input + k;
      Place(g, {CustomChunks::Buffer::kInput, k}) =
          std::make_shared<const std::vector<std::uint64_t>>(1, symbol);
    }
  }

  /// In place, the larger of input and output is `output`, and the smaller is the rank's part of
  /// it.
  Symbol& Place(std::uint32_t g, const CustomChunks& chunks) {
    Gpu& gpu = gpus_[g];
    if (chunks.buffer == CustomChunks::Buffer::kScratch) return gpu.scratch[chunks.first];
    const bool input = chunks.buffer == CustomChunks::Buffer::kInput;
    if (!algorithm_.in_place) return (input ? gpu.input : gpu.output)[chunks.first];
    const std::uint32_t own = input ? sizes_.input : sizes_.output;
    const bool is_part = own < gpu.output.size() && IsPart(g, input);
    return gpu.output[chunks.first + (is_part ? g * own : 0)];
  }
  /// Files of the compiler name a part in place by the larger buffer's chunks, others by its own.
  bool IsPart(std::uint32_t g, bool input) const {
    const CustomGpu& gpu = algorithm_.gpus[g];
    const std::uint32_t own = input ? sizes_.input : sizes_.output;
    return (input ? gpu.input : gpu.output) <= own;
  }

  bool IsReady(std::uint32_t g, std::uint32_t b) const {
    const Block& block = gpus_[g].blocks[b];
    const std::vector<CustomStep>& steps = algorithm_.gpus[g].blocks[b].steps;
    if (block.next == steps.size()) return false;
    const CustomStep& step = steps[block.next];
    if (step.wait_block != CustomStep::kNone &&
        gpus_[g].blocks[step.wait_block].next <= step.wait_step)
      return false;
    return !step.receives() || !underway_[block.in].empty();
  }

  void Do(std::uint32_t g, std::uint32_t b) {
    Block& block = gpus_[g].blocks[b];
    const CustomStep& step = algorithm_.gpus[g].blocks[b].steps[block.next];
    const std::string where = algorithm_.PlaceOf(g, b, block.next);
    ++block.next;
    if (step.kind == CustomStep::Kind::kNop) return;
    Message data(step.count);
    if (step.receives()) {
      data = std::move(underway_[block.in].front());
      underway_[block.in].pop_front();
    }
    for (std::uint32_t k = 0; k < step.count; ++k) {
      if (step.reads()) {
        const Symbol& own = Read(where, g, step.source, k);
        data[k] = step.reduces() ? Add(where, data[k], own) : own;
      }
      if (!step.writes()) continue;
      Symbol& place = Place(g, {step.destination.buffer, step.destination.first + k});
      if (step.kind == CustomStep::Kind::kReduce)
        data[k] = Add(where, data[k], Read(where, g, step.destination, k));
      place = data[k];
    }
    if (step.sends()) underway_[block.out].push_back(std::move(data));
  }

  const Symbol& Read(const std::string& where, std::uint32_t g, const CustomChunks& chunks,
                     std::uint32_t k) {
    const Symbol& own = Place(g, {chunks.buffer, chunks.first + k});
    if (own == nullptr)
      FailInput({where, 0}, "it reads a chunk that nothing has written", "a chunk with data");
    return own;
  }

  static Symbol Add(const std::string& where, const Symbol& a, const Symbol& b) {
    std::vector<std::uint64_t> sum;
    std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(sum));
    if (sum.size() != a->size() + b->size())
      FailInput({where, 0}, "it adds an input that is in the sum already", "each input once");
    return std::make_shared<const std::vector<std::uint64_t>>(std::move(sum));
  }

  void CheckOver() const {
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
      for (std::uint32_t b = 0; b < gpus_[g].blocks.size(); ++b) {
        const std::uint32_t next = gpus_[g].blocks[b].next;
        const std::vector<CustomStep>& steps = algorithm_.gpus[g].blocks[b].steps;
        if (next == steps.size()) continue;
        const CustomStep& step = steps[next];
        const bool waits = step.wait_block != CustomStep::kNone &&
                           gpus_[g].blocks[step.wait_block].next <= step.wait_step;
        FailInput({algorithm_.PlaceOf(g, b, next), 0},
                  waits ? fmt::format("it waits for step {} of thread block {}, which never ends",
                                      step.wait_step, step.wait_block)
                        : "it waits for a message that is never sent",
                  "steps that do not wait for each other");
      }
    }
  }

  std::vector<std::uint64_t> Expected(std::uint32_t g, std::uint32_t k) const {
    const std::uint64_t part = algorithm_.chunks / algorithm_.ranks();
    std::vector<std::uint64_t> symbols;
    switch (algorithm_.operation) {
      case Operation::kAllGather:
        return {k};  // rank k / part, chunk k % part
      case Operation::kAllToAll:
        return {k / part * sizes_.input + g * part + k % part};
      default:
        break;
    }
    const bool scatters = algorithm_.operation == Operation::kReduceScatter;
    for (std::uint64_t rank = 0; rank < algorithm_.ranks(); ++rank)
      symbols.push_back(rank * sizes_.input + (scatters ? g * part + k : k));
    return symbols;
  }

  void CheckOutput(std::uint32_t g) {
    for (std::uint32_t k = 0; k < sizes_.output; ++k) {
      const Symbol& found = OutputOf(g, k);
      if (found != nullptr && *found == Expected(g, k)) continue;
      FailInput({fmt::format("{}: GPU {}, output chunk {}", algorithm_.file, g, k), 0},
                found == nullptr ? std::string("nothing was written to it")
                                 : fmt::format("it has {} inputs that are not those of {}",
                                               found->size(), ToText(algorithm_.operation)),
                "what the operation defines, in every order of the steps");
    }
  }
  const Symbol& OutputOf(std::uint32_t g, std::uint32_t k) const {
    const bool part = algorithm_.in_place && sizes_.output < sizes_.input;
    return gpus_[g].output[k + (part ? g * sizes_.output : 0)];
  }

  const CustomAlgorithm& algorithm_;
  Sizes sizes_;
  std::vector<Gpu> gpus_;
  std::vector<std::deque<Message>> underway_;  ///< by connection
};

}  // namespace

void ProveCustom(const CustomAlgorithm& algorithm) {
  const std::vector<CustomConnection> connections = ConnectionsOf(algorithm);
  CheckSizes(algorithm);
  Execution(algorithm, connections).Run([](std::size_t) { return std::size_t{0}; });
  Execution(algorithm, connections).Run([](std::size_t n) { return n - 1; });
  constexpr std::uint32_t kRandomOrders = 6;
  for (std::uint32_t seed = 1; seed <= kRandomOrders; ++seed) {
    std::mt19937 random(seed);
    Execution(algorithm, connections).Run([&](std::size_t n) { return random() % n; });
  }
}

}  // namespace heddle
