// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/request_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

RequestLaw Law(ArrivalLaw arrivals, double shape = 1) {
  RequestLaw law;
  law.arrivals = arrivals;
  law.gap = MicroSeconds(100);
  law.shape = shape;
  law.count = 200'000;
  return law;
}

/// Mean of the gaps [us], and their coefficient of variation.
std::pair<double, double> GapsOf(const RequestLaw& law) {
  const ServingRequests requests = DrawRequests(law, 7);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const double gap = (requests[i].arrival - requests[i - 1].arrival).microseconds();
    sum += gap;
    squares += gap * gap;
  }
  const double count = static_cast<double>(requests.size() - 1), mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean) / mean};
}

TEST(RequestLaw, GapsHaveTheirMeanAndVariation) {
  EXPECT_EQ(GapsOf(Law(ArrivalLaw::kConstant)), (std::pair<double, double>{100, 0}));
  const std::pair<ArrivalLaw, double> laws[] = {{ArrivalLaw::kPoisson, 1},
                                                {ArrivalLaw::kGamma, 1},
                                                {ArrivalLaw::kGamma, 0.25},
                                                {ArrivalLaw::kGamma, 4}};
  for (const auto& [arrivals, shape] : laws) {
    const auto [mean, variation] = GapsOf(Law(arrivals, shape));
    EXPECT_NEAR(mean, 100, 1.5) << shape;
    EXPECT_NEAR(variation, 1 / std::sqrt(shape), 0.03 / std::sqrt(shape)) << shape;
  }
}

TEST(RequestLaw, LengthsAreInRange) {
  RequestLaw law = Law(ArrivalLaw::kPoisson);
  law.input = {LengthLaw::Kind::kUniform, 10, 13};
  law.output = {LengthLaw::Kind::kExponential, 50, 50};
  std::int64_t counts[4] = {0, 0, 0, 0}, output = 0;
  for (const ServingRequest& request : DrawRequests(law, 3)) {
    ASSERT_GE(request.input, 10U);
    ASSERT_LE(request.input, 13U);
    ASSERT_GE(request.output, 1U);
    ++counts[request.input - 10];
    output += request.output;
  }
  for (const std::int64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 50'000, 1000);
  EXPECT_NEAR(static_cast<double>(output) / 200'000, 50, 0.5);
}

TEST(RequestLaw, SeedsDiffer) {
  const auto first = [](std::uint64_t seed) {
    return DrawRequests(Law(ArrivalLaw::kGamma, 0.5), seed)[0].arrival;
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

}  // namespace
}  // namespace heddle
