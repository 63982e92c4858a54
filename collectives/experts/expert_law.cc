// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/expert_law.h"

#include <cmath>
#include <numeric>

#include "core/base/check.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;

std::vector<double> Ones(const ExpertOptions& options) {
  return std::vector<double>(static_cast<std::size_t>(options.count), 1.0);
}

/// A normal number, by Box and Muller.
double Normal(RandomStream* random) {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(1 - random->Uniform()));
  return radius * std::cos(kTwoPi * random->Uniform());
}

ExpertWeights Uniform(const ExpertOptions& options, RandomStream* /*random*/) {
  return {Ones(options), {}, 0};
}

ExpertWeights Lognormal(const ExpertOptions& options, RandomStream* random) {
  ExpertWeights weights = {Ones(options), {}, 0};
  for (double& weight : weights.usual) weight = std::exp(options.sigma * Normal(random));
  return weights;
}

ExpertWeights Zipf(const ExpertOptions& options, RandomStream* /*random*/) {
  ExpertWeights weights = {Ones(options), {}, 0};
  for (std::size_t i = 0; i < weights.usual.size(); ++i)
    weights.usual[i] = std::pow(static_cast<double>(i + 1), -options.zipf);
  return weights;
}

ExpertWeights Hot(const ExpertOptions& options, RandomStream* /*random*/) {
  constexpr double kRare = 1e-12;
  ExpertWeights weights = {Ones(options), Ones(options), options.hot_share};
  for (std::size_t i = 0; i < weights.popular.size(); ++i) {
    if (static_cast<std::int64_t>(i) >= options.hot) weights.popular[i] = kRare;
  }
  return weights;
}

constexpr ExpertLaw kLaws[] = {{Routing::kUniform, Uniform},
                               {Routing::kLognormal, Lognormal},
                               {Routing::kZipf, Zipf},
                               {Routing::kHot, Hot}};

/// Puts weights into the order of `places`.
void Permute(const std::vector<std::size_t>& places, std::vector<double>* weights) {
  if (weights->empty()) return;
  std::vector<double> permuted(weights->size());
  for (std::size_t i = 0; i < places.size(); ++i) permuted[places[i]] = (*weights)[i];
  *weights = std::move(permuted);
}

}  // namespace

const ExpertLaw* FindExpertLaw(Routing routing) {
  for (const ExpertLaw& law : kLaws) {
    if (law.routing == routing) return &law;
  }
  return nullptr;
}

ExpertWeights DrawExpertWeights(const ExpertOptions& options, std::uint64_t layer) {
  const ExpertLaw* const law = FindExpertLaw(options.routing);
  HEDDLE_INVARIANT(law != nullptr, "experts without a law have no weights");
  RandomStream random(static_cast<std::uint64_t>(options.seed), layer,
                      RandomPurpose::kExpertWeights);
  ExpertWeights weights = law->weights(options, &random);
  if (options.order == ExpertOptions::Order::kInOrder) return weights;
  std::vector<std::size_t> places(weights.usual.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  Shuffle(&places, &random);
  Permute(places, &weights.usual);
  Permute(places, &weights.popular);
  return weights;
}

}  // namespace heddle
