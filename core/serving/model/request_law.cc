// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/request_law.h"

#include <algorithm>
#include <cmath>

#include "core/base/exponential.h"

namespace heddle {
namespace {

/// Marsaglia's polar method; of each pair it uses one.
double DrawNormal(RandomStream* random) {
  for (;;) {
    const double x = 2 * random->Uniform() - 1, y = 2 * random->Uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

/// For shapes of at least 1; of mean `shape`.
double DrawLargeGamma(double shape, RandomStream* random) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = DrawNormal(random);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (-DrawExponential(random) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

/// The streams of one law, as entities of RandomPurpose::kServing.
enum Stream : std::uint64_t { kGaps = 0, kInputs = 1, kOutputs = 2 };

Time DrawGap(const RequestLaw& law, RandomStream* random) {
  double variate = 1;
  if (law.arrivals == ArrivalLaw::kPoisson) variate = DrawExponential(random);
  if (law.arrivals == ArrivalLaw::kGamma) variate = DrawGamma(law.shape, random);
  constexpr double kMostNs = 9e12;  // two and a half hours, as times end after 106 days
  const double ns = static_cast<double>(law.gap.ps) * 1e-3 * variate;
  return NanoSeconds(std::llround(std::min(ns, kMostNs)));
}

}  // namespace

std::uint32_t LengthLaw::Draw(RandomStream* random) const {
  std::int64_t length = low;
  if (kind == Kind::kUniform)
    length =
        low + static_cast<std::int64_t>(random->Below(static_cast<std::uint64_t>(high - low + 1)));
  if (kind == Kind::kExponential)
    length = std::llround(static_cast<double>(low) * DrawExponential(random));
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(length, 1, kMostTokens));
}

double DrawGamma(double shape, RandomStream* random) {
  if (shape >= 1) return DrawLargeGamma(shape, random) / shape;
  // gamma(a) = gamma(a + 1) u^(1/a), and -log(u) is exponential
  const double larger = DrawLargeGamma(shape + 1, random);
  return larger * std::exp(-DrawExponential(random) / shape) / shape;
}

ServingRequests DrawRequests(const RequestLaw& law, std::uint64_t seed) {
  RandomStream gaps(seed, kGaps, RandomPurpose::kServing);
  RandomStream inputs(seed, kInputs, RandomPurpose::kServing);
  RandomStream outputs(seed, kOutputs, RandomPurpose::kServing);
  ServingRequests requests;
  requests.reserve(static_cast<std::size_t>(law.count));
  Time at;
  for (std::int64_t i = 0; i < law.count; ++i) {
    if (i > 0 || law.arrivals != ArrivalLaw::kConstant) at += DrawGap(law, &gaps);
    requests.push_back({at, law.input.Draw(&inputs), law.output.Draw(&outputs)});
  }
  return requests;
}

}  // namespace heddle
