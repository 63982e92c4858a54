// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Arrivals that have happened by a step, by the connections to its GPU: how many of each.
using Clock = std::vector<std::uint32_t>;

void Join(const Clock& other, Clock* clock) {
  for (std::size_t i = 0; i < clock->size(); ++i) (*clock)[i] = std::max((*clock)[i], other[i]);
}

/// A GPU's steps in an order in which each follows those that it waits for.
std::vector<std::pair<std::uint32_t, std::uint32_t>> OrderOf(const CustomGpu& gpu) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  std::vector<std::uint32_t> next(gpu.blocks.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t b = 0; b < gpu.blocks.size(); ++b) {
      const std::vector<CustomStep>& steps = gpu.blocks[b].steps;
      for (; next[b] < steps.size(); ++next[b], moved = true) {
        const CustomStep& step = steps[next[b]];
        if (step.wait_block != CustomStep::kNone && next[step.wait_block] <= step.wait_step) break;
        order.emplace_back(b, next[b]);
      }
    }
  }
  return order;
}

/// Finds the parents of the messages that one GPU sends.
class Waits {
 public:
  using Id = CustomMessages::Id;

  /// `in`: connections to the GPU. `in_of`, `out_of`: place in `in`, and connection, by block.
  Waits(const CustomGpu& gpu, std::vector<std::uint32_t> in, std::vector<std::uint32_t> in_of,
        std::vector<std::uint32_t> out_of)
      : gpu_(gpu),
        order_(OrderOf(gpu)),
        in_(std::move(in)),
        in_of_(std::move(in_of)),
        out_of_(std::move(out_of)) {}

  /// Calls visit(connection of the message, its parents) for all messages of the next round, in
  /// order for each connection.
  template <class Visit>
  void NextRound(const Visit& visit) {
    const std::size_t blocks = gpu_.blocks.size();
    if (last_.empty()) last_ = posted_ = std::vector<Clock>(blocks, Clock(in_.size()));
    std::vector<std::vector<Clock>> clocks(blocks);
    std::vector<Id> parents;
    for (const auto& [b, s] : order_) {
      const CustomStep& step = gpu_.blocks[b].steps[s];
      if (step.wait_block != CustomStep::kNone)
        Join(clocks[step.wait_block][step.wait_step], &last_[b]);
      if (step.receives()) ++last_[b][in_of_[b]];
      clocks[b].push_back(last_[b]);
      if (!step.sends()) continue;
      parents.clear();
      for (std::size_t c = 0; c < in_.size(); ++c) {
        for (std::uint32_t i = posted_[b][c]; i < last_[b][c]; ++i) parents.push_back({in_[c], i});
      }
      visit(out_of_[b], parents);
      posted_[b] = last_[b];
    }
  }

 private:
  const CustomGpu& gpu_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;
  std::vector<std::uint32_t> in_, in_of_, out_of_;
  std::vector<Clock> last_, posted_;  ///< by block: of its last step, and of its last send
};

}  // namespace

CustomMessages::CustomMessages(const CustomAlgorithm& algorithm, std::uint32_t rounds)
    : rounds_(rounds), connections_(ConnectionsOf(algorithm)) {
  SetKinds(algorithm);
  SetParents(algorithm);
  SetChildren();
}

void CustomMessages::SetKinds(const CustomAlgorithm& algorithm) {
  first_kind_.assign(1, 0);
  first_message_.assign(1, 0);
  sends_.assign(algorithm.ranks(), 0);
  receives_ = sends_;
  for (const CustomConnection& c : connections_) {
    const std::size_t first = kinds_.size();
    for (const CustomStep& step : algorithm.gpus[c.source].blocks[c.source_block].steps) {
      if (step.sends())
        kinds_.push_back(
            {step.reads() ? step.source : step.destination, step.count, step.reduces(), false});
    }
    std::size_t next = first;
    for (const CustomStep& step : algorithm.gpus[c.destination].blocks[c.destination_block].steps) {
      if (step.receives()) kinds_[next++].reduces = step.reduces();
    }
    first_kind_.push_back(static_cast<std::uint32_t>(kinds_.size()));
    const std::uint64_t count = (kinds_.size() - first) * std::uint64_t{rounds_};
    first_message_.push_back(first_message_.back() + count);
    if (first_message_.back() > kMost)
      throw UserError(fmt::format(
          "{}: more than {} messages in {} rounds of the algorithm. Expected: a smaller "
          "collective, or larger pieces (collective.chunk_bytes)",
          algorithm.file, kMost, rounds_));
    sends_[c.source] += count;
    receives_[c.destination] += count;
    most_ = std::max(most_, static_cast<std::uint32_t>(count));
    channels_ = std::max(channels_, c.channel + 1);
  }
}

void CustomMessages::SetParents(const CustomAlgorithm& algorithm) {
  std::vector<std::vector<std::uint32_t>> in(algorithm.ranks()), in_of(algorithm.ranks()),
      out_of(algorithm.ranks());
  for (std::uint32_t g = 0; g < algorithm.ranks(); ++g)
    in_of[g].resize(algorithm.gpus[g].blocks.size()), out_of[g] = in_of[g];
  for (std::uint32_t c = 0; c < connections_.size(); ++c) {
    const CustomConnection& connection = connections_[c];
    in_of[connection.destination][connection.destination_block] =
        static_cast<std::uint32_t>(in[connection.destination].size());
    in[connection.destination].push_back(c);
    out_of[connection.source][connection.source_block] = c;
  }
  std::vector<std::vector<Id>> found(total());
  std::vector<std::uint32_t> sent(connections_.size());
  std::size_t count = 0;
  for (std::uint32_t g = 0; g < algorithm.ranks(); ++g) {
    Waits waits(algorithm.gpus[g], in[g], in_of[g], out_of[g]);
    for (std::uint32_t round = 0; round < rounds_; ++round) {
      waits.NextRound([&](std::uint32_t c, const std::vector<Id>& parents) {
        found[Slot({c, sent[c]++})] = parents;
        count += parents.size();
      });
    }
  }
  first_parent_.assign(1, 0);
  parents_.reserve(count);
  for (const std::vector<Id>& parents : found) {
    parents_.insert(parents_.end(), parents.begin(), parents.end());
    first_parent_.push_back(parents_.size());
  }
}

void CustomMessages::SetChildren() {
  first_child_.assign(total() + 1, 0);
  for (const Id& parent : parents_) ++first_child_[Slot(parent) + 1];
  for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
  children_.resize(parents_.size());
  std::vector<std::uint64_t> next(first_child_.begin(), first_child_.end() - 1);
  for (std::uint32_t c = 0; c < connections_.size(); ++c) {
    for (std::uint32_t i = 0; i < count(c); ++i) {
      const Id id{c, i};
      for (const Id* parent = parents_begin(id); parent != parents_end(id); ++parent)
        children_[next[Slot(*parent)]++] = id;
    }
  }
}

std::optional<std::uint32_t> CustomMessages::FindIfAny(std::uint32_t source,
                                                       std::uint32_t destination,
                                                       std::uint32_t channel) const {
  CustomConnection name;
  name.source = source;
  name.destination = destination;
  name.channel = channel;
  const auto found = std::lower_bound(connections_.begin(), connections_.end(), name);
  if (found == connections_.end() || name < *found) return {};
  return static_cast<std::uint32_t>(found - connections_.begin());
}

std::uint32_t CustomMessages::Find(std::uint32_t source, std::uint32_t destination,
                                   std::uint32_t channel) const {
  const auto found = FindIfAny(source, destination, channel);
  HEDDLE_INVARIANT(found, "no such connection");
  return *found;
}

std::size_t CustomMessages::memory() const {
  return sizeof *this + connections_.capacity() * sizeof(CustomConnection) +
         kinds_.capacity() * sizeof(Kind) + first_kind_.capacity() * sizeof(std::uint32_t) +
         sizeof(std::uint64_t) *
             (first_message_.capacity() + first_parent_.capacity() + first_child_.capacity() +
              sends_.capacity() + receives_.capacity()) +
         sizeof(Id) * (parents_.capacity() + children_.capacity());
}

}  // namespace heddle
