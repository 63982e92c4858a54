// SPDX-License-Identifier: GPL-2.0-only
/// Figures of a case over seeds: uet-htsim's, from tests/data/uec/cases.csv (README.md there says
/// what they are), and heddle's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/validation/uec/uec_case.h"

namespace heddle::testing {

struct Spread {
  double mean = 0, low = 0, high = 0;
};

/// By name, as in the columns of cases.csv.
using Figures = std::map<std::string, Spread>;

/// By case.
const std::map<std::string, Figures>& ReferenceFigures();

/// Runs the case with seeds 1 to `seeds`, and further settings KEY=VALUE. Throws if a flow does not
/// finish.
Figures RunUecCase(const UecCase& c, std::uint32_t seeds,
                   const std::vector<std::string>& settings = {});

}  // namespace heddle::testing
