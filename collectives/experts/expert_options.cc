// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/expert_options.h"

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostExperts = 65'536;
constexpr std::int64_t kMostChoices = 64;
constexpr std::int64_t kMostTokens = 1 << 20;
constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
constexpr double kMostSkew = 8;
constexpr double kMostCapacity = 1e6;

/// Declares what tokens choose among, and how many of them.
void DeclareSizes(ExpertOptions* values, OptionSet* options) {
  options->Add(
      {"experts.count", "", "experts of a layer, divided evenly among the ranks of an expert group",
       "", "DeepSeek-V3: 256"},
      &values->count, 1, kMostExperts);
  options->Add({"experts.top_k", "", "experts that a token chooses", "", "DeepSeek-V3: 8"},
               &values->top_k, 1, kMostChoices);
  options->Add({"experts.tokens", "",
                "tokens of a rank in a micro-batch; a row has the bytes of the workload's buffer "
                "over tokens times experts.top_k",
                "", "DeepSeek-V3: 4096"},
               &values->tokens, 1, kMostTokens);
  options->Add(
      {"experts.groups", "", "equal groups of neighbouring experts", "", "DeepSeek-V3: 8; none: 1"},
      &values->groups, 1, kMostExperts);
  options->Add({"experts.top_groups", "",
                "groups whose experts a token may choose, those whose best two experts sum "
                "highest; 0: all",
                "", "DeepSeek-V3: 4, its limit of nodes of a token; none: 0"},
               &values->top_groups, 0, kMostExperts);
  options->Add({"experts.capacity", "",
                "choices that an expert takes, over the mean of all experts; later ones are "
                "dropped; 0: no limit",
                "", "GShard's capacity factor; DeepSeek-V3: none"},
               &values->capacity, 0, kMostCapacity);
}

/// Declares the laws' parameters.
void DeclareLaws(ExpertOptions* values, OptionSet* options) {
  options->Add({"experts.zipf", "", "exponent a of experts.routing=zipf: weights i^-a", "",
                "Mooncake's ep_benchmark: 1"},
               &values->zipf, 0, kMostSkew);
  options->Add({"experts.sigma", "",
                "sigma of experts.routing=lognormal; the Gini coefficient of weights is "
                "erf(sigma / 2)",
                "", "0.43: Gini 0.24, DeepSeek-V2-Lite on real text (arXiv 2605.20982)"},
               &values->sigma, 0, kMostSkew);
  options->Add({"experts.hot", "", "popular experts of experts.routing=hot", "",
                "Mooncake's ep_benchmark: 32"},
               &values->hot, 1, kMostExperts);
  options->Add({"experts.hot_share", "",
                "part of tokens that choose among the popular experts only, of "
                "experts.routing=hot",
                "", "Mooncake's ep_benchmark: 0.9"},
               &values->hot_share, 0, 1);
  options->Add({"experts.order", "",
                "permuted: popular experts are anywhere; in_order: the first ones, so that they "
                "share ranks",
                "", "Mooncake's ep_benchmark: in_order; placements of real models: permuted"},
               &values->order);
  options->Add(
      {"experts.seed", "", "seed of the weights and of the choices of tokens", "", "heddle"},
      &values->seed, 0, kLargestSeed);
  options->Add({"experts.table", "",
                "file of experts.routing=counts or tokens: counts by expert, or experts by token",
                "", "docs/formats/experts.md"},
               &values->table, {});
}

}  // namespace

void ExpertOptions::Declare(OptionSet* options) {
  options->AddGroup({"experts", "which experts tokens choose, and how they reach them",
                     "docs/models/experts.md"});
  options->Add(
      {"experts.routing", "",
       "how tokens choose experts, and so what each pair of ranks exchanges in the "
       "AllToAlls of expert groups (suffix _EP): even: all pairs the same; uniform: at "
       "random; lognormal, zipf, hot: some experts more often; counts, tokens: as the file "
       "of experts.table says",
       "", "SimAI: even"},
      &routing);
  options->Add({"experts.form", "",
                "what a token sends: plain: a row for each of its experts; rank: one for each rank "
                "that has experts of it; server: one over the network for each server that has, "
                "spread there over NVLink",
                "", "NCCL and Megatron-LM: plain; DeepEP: server"},
               &form);
  options->Add({"experts.dispatch", "",
                "bytes of the forward's dispatch: file: as the workload says; fp8: 33/64 of them, "
                "numbers of one byte and a scale of four for 128 of them in place of BF16",
                "", "DeepSeek-V3 and AICB: FP8 out, BF16 back"},
               &dispatch);
  DeclareSizes(this, options);
  DeclareLaws(this, options);
  options->Add({"experts.compute", "",
                "the workload's lines between an expert group's dispatch and its combine take "
                "longer or shorter on a rank, as its experts have more or fewer choices than the "
                "mean",
                "", "heddle"},
               &compute);
}

}  // namespace heddle
