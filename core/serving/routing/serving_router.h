// SPDX-License-Identifier: GPL-2.0-only
/// Which instances serve a request: a router that knows what it gave to whom, and what has ended.
///
/// Sources: least loaded is "least outstanding" of vidur (SimAI 1.7). KV-aware is the cost of
/// NVIDIA Dynamo's KV router (design page "Router Design"):
///   cost = overlap weight x blocks of the prompt to compute + blocks of open requests,
/// with what is cached predicted from earlier choices (there --no-router-kv-events), and for decode
/// instances the second term alone. Blocks are those of the prompts; equal costs go to the lowest
/// number.
///
/// Omitted: reports of instances on their queues and caches, tokens of answers, a random choice
/// among near costs (its temperature).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/serving/memory/prefix_cache.h"
#include "core/serving/model/serving_request.h"

namespace heddle {

enum class RouterKind : std::uint8_t { kRoundRobin, kLeastLoaded, kKvAware };
constexpr auto WordsOf(RouterKind) { return std::array{"round-robin", "least-loaded", "kv-aware"}; }

/// What a router knows of the instances before a run.
struct RouterGround {
  RouterKind kind = RouterKind::kLeastLoaded;
  double overlap_weight = 1;                     ///< of kKvAware
  std::int64_t block_tokens = 16;                ///< of a block of KV memory
  bool prefix_cache = true;                      ///< instances keep prompts
  std::vector<std::uint32_t> entries, decoders;  ///< instances; no decoders: entries are mixed
  std::vector<std::int64_t> blocks;              ///< of KV memory, by instance
};

class ServingRouter {
 public:
  /// `requests` must outlive it.
  ServingRouter(RouterGround ground, const ServingRequests& requests);

  /// The instances of a request; equal if it is mixed.
  struct Choice {
    std::uint32_t entry = 0, decoder = 0;
  };
  /// Chooses for a request that comes. From here on it is open in both instances.
  Choice Choose(std::uint32_t request);
  /// A request has ended in an instance; `wholly`: its decoder never gets it.
  void Ended(std::uint32_t request, std::uint32_t instance, bool wholly);

  /// Requests that are open in some instance.
  std::size_t open() const { return open_.size(); }
  /// The open request with the lowest number; open() > 0.
  std::uint32_t first_open() const { return open_.begin()->first; }
  /// Requests that are open in an instance, and the blocks of their prompts.
  std::int64_t RequestsOf(std::uint32_t instance) const { return loads_[instance].requests; }
  std::int64_t BlocksOf(std::uint32_t instance) const { return loads_[instance].blocks; }
  /// Throws UserError for loaded state that no run can have saved; else counts loads anew.
  void CheckState();
  std::size_t memory() const;  ///< bytes

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& open_& caches_;
  }

 private:
  struct Load {
    std::int64_t requests = 0, blocks = 0;
  };
  /// An open request.
  struct Given {
    std::uint32_t entry = 0, decoder = 0;
    bool prompt = true, answer = true;  ///< open in its entry, and in its decoder

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& entry& decoder& prompt& answer;
    }
  };
  std::int64_t PromptBlocks(std::uint32_t request) const;
  /// The instance of `among` with the least cost. `request`: whose missing blocks count.
  std::uint32_t Least(const std::vector<std::uint32_t>& among, std::uint32_t request,
                      bool prompt) const;
  double CostOf(std::uint32_t instance, std::uint32_t request, bool prompt) const;
  void AddLoad(std::uint32_t instance, std::uint32_t request, int sign);
  /// Counts the parts of an open request.
  void AddGiven(const Given& given, std::uint32_t request, int sign);
  /// Predicts what an instance keeps of a prompt.
  void Predict(std::uint32_t instance, std::uint32_t request);
  bool predicts() const { return ground_.kind == RouterKind::kKvAware && ground_.prefix_cache; }

  RouterGround ground_;
  const ServingRequests& requests_;
  std::vector<Load> loads_;              ///< by instance
  std::map<std::uint32_t, Given> open_;  ///< by request
  std::vector<PrefixCache> caches_;      ///< as predicted, by instance
};

}  // namespace heddle
