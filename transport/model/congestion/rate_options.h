// SPDX-License-Identifier: GPL-2.0-only
/// Options that several congestion control algorithms share. Each is declared once.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct RateOptions {
  BitRate minimum{100'000'000};           ///< MIN_RATE: no algorithm goes below
  BitRate additive_increase{50'000'000};  ///< RATE_AI: DCQCN, HPCC, TIMELY, PINT
  BitRate hyper_increase{100'000'000};    ///< RATE_HAI: DCQCN, TIMELY
  double gain = 0.00390625;               ///< EWMA_GAIN: g of DCQCN's and DCTCP's alpha
  std::int64_t payload =
      9000;  ///< of a full packet [byte]; no option: the transport copies its own here
  bool scales_window = true;  ///< windows follow rates; no option either

  /// Adds rate.*; rates are kLowestRate to kHighestRate, the gain 1e-6 to 1. Does not add `payload`
  /// and `scales_window`, which the transport sets.
  void Declare(OptionSet* options);
};

/// Range of every option that is a rate; zero is refused.
constexpr BitRate kLowestRate{1'000};
constexpr BitRate kHighestRate{100'000'000'000'000};

}  // namespace heddle
