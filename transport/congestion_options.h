// SPDX-License-Identifier: GPL-2.0-only
/// Options of congestion control: which algorithm, what several share, and each one's own.
#ifndef HEDDLE_TRANSPORT_CONGESTION_OPTIONS_H_
#define HEDDLE_TRANSPORT_CONGESTION_OPTIONS_H_

#include <cstdint>

#include "transport/dcqcn.h"
#include "transport/dctcp.h"
#include "transport/hpcc.h"
#include "transport/pint.h"
#include "transport/rate_options.h"
#include "transport/timely.h"

namespace heddle {

struct CongestionOptions {
  std::int64_t mode = 1;  ///< the algorithm's number, CC_MODE
  RateOptions rates;
  Dcqcn::Options dcqcn;
  Hpcc::Options hpcc;
  Timely::Options timely;
  Dctcp::Options dctcp;
  Pint::Options pint;

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_CONGESTION_OPTIONS_H_
