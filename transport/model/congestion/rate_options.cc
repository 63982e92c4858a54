// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/rate_options.h"

#include "core/options/options.h"

namespace heddle {

void RateOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"rate", "rates that several congestion controls share", "docs/models/dcqcn.md"});
  const std::string conf = "SimAI.conf";
  options->Add(
      {"rate.minimum", "MIN_RATE", "lowest sending rate of any congestion control", "bit/s", conf},
      &minimum, kLowestRate, kHighestRate);
  options->Add({"rate.additive_increase", "RATE_AI",
                "additive increase of DCQCN, HPCC, TIMELY and HPCC-PINT", "bit/s", conf},
               &additive_increase, kLowestRate, kHighestRate);
  options->Add(
      {"rate.hyper_increase", "RATE_HAI", "hyper increase of DCQCN and TIMELY", "bit/s", conf},
      &hyper_increase, kLowestRate, kHighestRate);
  options->Add(
      {"rate.gain", "EWMA_GAIN", "weight g of a new sample in alpha of DCQCN and DCTCP", "", conf},
      &gain, 1e-6, 1.0);
}

}  // namespace heddle
