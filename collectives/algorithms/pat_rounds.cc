// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/pat_rounds.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

std::uint32_t LowestBit(std::uint32_t number) { return number & (~number + 1); }

std::uint32_t PowerFrom(std::uint32_t ranks) {
  std::uint32_t power = 1;
  while (power < ranks) power *= 2;
  return power;
}

}  // namespace

PatFactors PatFactorsOf(std::uint32_t ranks, std::int64_t block_bytes, std::int64_t chunk_bytes,
                        std::int64_t slots) {
  HEDDLE_EXPECT(ranks > 0 && block_bytes > 0 && chunk_bytes > 0 && slots > 0);
  const std::uint32_t most = ranks / 2;
  PatFactors factors;
  while (chunk_bytes / block_bytes / factors.blocks >= 2 && factors.blocks < most)
    factors.blocks *= 2;
  factors.trees = factors.blocks;
  while (2 * (factors.trees / factors.blocks) <= slots && factors.trees < most) factors.trees *= 2;
  return factors;
}

PatRounds::PatRounds(std::uint32_t ranks, const PatFactors& factors, bool reduces)
    : ranks_(ranks), reduces_(reduces), first_offset_{0} {
  const std::uint32_t power = PowerFrom(ranks);
  HEDDLE_EXPECT(ranks > 1 && factors.blocks > 0 && factors.blocks <= factors.trees &&
                factors.trees <= power && LowestBit(factors.trees) == factors.trees);
  offsets_.reserve(ranks - 1);
  if (reduces) {
    AddReduction(factors, power / factors.trees);
  } else {
    AddGather(factors, power / factors.trees);
  }
  Connect();
}

void PatRounds::AddRound(std::uint32_t first, std::uint32_t stride, const PatFactors& factors) {
  if (first >= ranks_) return;
  ++rounds_;
  const std::uint32_t count = (ranks_ - 1 - first) / stride + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % factors.blocks == 0) {
      if (i > 0) first_offset_.push_back(static_cast<std::uint32_t>(offsets_.size()));
      distances_.push_back(LowestBit(first));
    }
    offsets_.push_back(first + i * stride);
  }
  first_offset_.push_back(static_cast<std::uint32_t>(offsets_.size()));
}

void PatRounds::AddGather(const PatFactors& factors, std::uint32_t apart) {
  for (std::uint32_t half = factors.trees / 2; half > 0; half /= 2)
    AddRound(half * apart, 2 * half * apart, factors);
  AddTree(0, apart, apart, factors);
}

void PatRounds::AddTree(std::uint32_t u, std::uint32_t low, std::uint32_t apart,
                        const PatFactors& factors) {
  if (u > 0) AddRound(u, apart, factors);
  for (std::uint32_t step = low / 2; step > 0; step /= 2) AddTree(u + step, step, apart, factors);
}

void PatRounds::AddReduction(const PatFactors& factors, std::uint32_t apart) {
  for (std::uint32_t u = apart - 1; u > 0; --u) AddRound(u, apart, factors);
  for (std::uint32_t half = 1; half < factors.trees; half *= 2)
    AddRound(half * apart, 2 * half * apart, factors);
}

/// Offset s hangs on s - low(s); offset 0 is the rank's own block.
void PatRounds::Connect() {
  std::vector<std::uint32_t> message_of(ranks_);
  for (std::uint32_t m = 0; m < messages(); ++m) {
    for (const std::uint32_t s : offsets(m)) message_of[s] = m;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // child, parent
  for (std::uint32_t s = 1; s < ranks_; ++s) {
    const std::uint32_t above = s - LowestBit(s);
    if (above == 0) continue;
    if (reduces_) {
      edges.emplace_back(message_of[above], message_of[s]);
    } else {
      edges.emplace_back(message_of[s], message_of[above]);
    }
  }
  const auto fill = [&](List* first, List* all) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    first->assign(messages() + 1, 0);
    for (const auto& [from, to] : edges) {
      ++(*first)[from + 1];
      all->push_back(to);
    }
    for (std::uint32_t m = 0; m < messages(); ++m) (*first)[m + 1] += (*first)[m];
  };
  fill(&first_parent_, &parents_);
  for (auto& [child, parent] : edges) std::swap(child, parent);
  fill(&first_child_, &children_);
}

std::size_t PatRounds::memory() const {
  return sizeof(std::uint32_t) *
         (distances_.capacity() + offsets_.capacity() + first_offset_.capacity() +
          parents_.capacity() + first_parent_.capacity() + children_.capacity() +
          first_child_.capacity());
}

}  // namespace heddle
