// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/routing/serving_router.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/containers/state_count.h"

namespace heddle {

ServingRouter::ServingRouter(RouterGround ground, const ServingRequests& requests)
    : ground_(std::move(ground)),
      requests_(requests),
      loads_(ground_.blocks.size()),
      caches_(ground_.blocks.size()) {}

std::int64_t ServingRouter::PromptBlocks(std::uint32_t request) const {
  return (requests_[request].input + ground_.block_tokens - 1) / ground_.block_tokens;
}

double ServingRouter::CostOf(std::uint32_t instance, std::uint32_t request, bool prompt) const {
  if (ground_.kind == RouterKind::kLeastLoaded)
    return static_cast<double>(loads_[instance].requests);
  double cost = static_cast<double>(loads_[instance].blocks);
  if (!prompt) return cost;
  const PrefixCache::Path& path = requests_[request].blocks;
  const std::int64_t most = (std::int64_t{requests_[request].input} - 1) / kPromptBlockTokens;
  const auto cached =
      static_cast<std::int64_t>(caches_[instance].Match(path, static_cast<std::size_t>(most)));
  const std::int64_t missing =
      PromptBlocks(request) - cached * kPromptBlockTokens / ground_.block_tokens;
  return cost + ground_.overlap_weight * static_cast<double>(missing);
}

std::uint32_t ServingRouter::Least(const std::vector<std::uint32_t>& among, std::uint32_t request,
                                   bool prompt) const {
  std::uint32_t best = among[0];
  double least = CostOf(best, request, prompt);
  for (std::size_t i = 1; i < among.size(); ++i) {
    const double cost = CostOf(among[i], request, prompt);
    if (cost >= least) continue;
    least = cost;
    best = among[i];
  }
  return best;
}

ServingRouter::Choice ServingRouter::Choose(std::uint32_t request) {
  Given given;
  given.entry = given.decoder = Least(ground_.entries, request, true);
  given.answer = !ground_.decoders.empty();
  if (given.answer) given.decoder = Least(ground_.decoders, request, false);
  if (predicts()) Predict(given.entry, request);
  const bool is_new = open_.emplace(request, given).second;
  HEDDLE_INVARIANT(is_new, "router: a request comes a second time");
  AddGiven(given, request, 1);
  return {given.entry, given.decoder};
}

void ServingRouter::AddLoad(std::uint32_t instance, std::uint32_t request, int sign) {
  loads_[instance].requests += sign;
  loads_[instance].blocks += sign * PromptBlocks(request);
}

void ServingRouter::AddGiven(const Given& given, std::uint32_t request, int sign) {
  if (given.prompt) AddLoad(given.entry, request, sign);
  if (given.answer) AddLoad(given.decoder, request, sign);
}

void ServingRouter::Predict(std::uint32_t instance, std::uint32_t request) {
  PrefixCache& cache = caches_[instance];
  const PrefixCache::Path& path = requests_[request].blocks;
  for (const std::uint32_t block : path) cache.Add(block);
  cache.Release(path, path.size());
  cache.Shrink(static_cast<std::size_t>(ground_.blocks[instance] * ground_.block_tokens /
                                        kPromptBlockTokens));
}

void ServingRouter::Ended(std::uint32_t request, std::uint32_t instance, bool wholly) {
  const auto found = open_.find(request);
  HEDDLE_INVARIANT(found != open_.end(), "router: a request ended that is not open");
  Given& given = found->second;
  AddGiven(given, request, -1);
  if (wholly || instance == given.entry) given.prompt = false;
  if (wholly || instance == given.decoder) given.answer = false;
  AddGiven(given, request, 1);
  if (!given.prompt && !given.answer) open_.erase(found);
}

void ServingRouter::CheckState() {
  bool sound = caches_.size() == ground_.blocks.size();
  for (const PrefixCache& cache : caches_) sound = sound && cache.IsSound() && cache.holds() == 0;
  loads_.assign(ground_.blocks.size(), {});
  for (const auto& [request, given] : open_) {
    sound = sound && request < requests_.size() && given.entry < loads_.size() &&
            given.decoder < loads_.size() && (given.prompt || given.answer);
    if (sound) AddGiven(given, request, 1);
  }
  ExpectState(sound, "a router with requests or blocks that cannot be");
}

std::size_t ServingRouter::memory() const {
  std::size_t sum = MemoryOf(loads_) + MemoryOfTree(open_);
  for (const PrefixCache& cache : caches_) sum += sizeof cache + cache.memory();
  return sum;
}

}  // namespace heddle
