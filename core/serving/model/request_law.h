// SPDX-License-Identifier: GPL-2.0-only
/// Requests drawn by a law: gaps between arrivals, and lengths.
///
/// Gaps are constant, exponential (Poisson arrivals), or of a gamma distribution whose shape is the
/// burstiness, as vLLM's generator has it: 1 is Poisson, less comes in bursts (coefficient of
/// variation 1 / sqrt(shape)). Gamma by Marsaglia and Tsang, "A Simple Method for Generating Gamma
/// Variables", ACM TOMS 2000. Its logarithms and powers are the C library's, whose last bits may
/// differ between libraries; gaps are whole nanoseconds, so that results almost never do.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/random.h"
#include "core/serving/model/serving_request.h"

namespace heddle {

enum class ArrivalLaw : std::uint8_t { kConstant, kPoisson, kGamma };
constexpr auto WordsOf(ArrivalLaw) { return std::array{"constant", "poisson", "gamma"}; }

/// How many tokens a prompt or an answer has.
struct LengthLaw {
  enum class Kind : std::uint8_t { kConstant, kUniform, kExponential };
  friend constexpr auto WordsOf(Kind) { return std::array{"constant", "uniform", "exponential"}; }

  Kind kind = Kind::kConstant;
  std::int64_t low = 1;   ///< the value, the least, or the mean
  std::int64_t high = 1;  ///< of kUniform: the most

  /// Draws a length, at least 1 and at most kMostTokens.
  std::uint32_t Draw(RandomStream* random) const;
};

struct RequestLaw {
  ArrivalLaw arrivals = ArrivalLaw::kPoisson;
  Time gap = MicroSeconds(1000000);  ///< mean between two requests, > 0
  double shape = 1;                  ///< of kGamma, > 0
  std::int64_t count = 1;
  LengthLaw input, output;
};

/// Draws a variate of mean 1 of the gamma distribution with this shape > 0.
double DrawGamma(double shape, RandomStream* random);

/// Returns `law.count` requests; the first comes after a gap, but for kConstant at 0.
ServingRequests DrawRequests(const RequestLaw& law, std::uint64_t seed);

}  // namespace heddle
