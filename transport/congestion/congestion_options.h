// SPDX-License-Identifier: GPL-2.0-only
/// Options of congestion control: which algorithm, what several share, and each one's own.
#ifndef HEDDLE_TRANSPORT_CONGESTION_CONGESTION_OPTIONS_H_
#define HEDDLE_TRANSPORT_CONGESTION_CONGESTION_OPTIONS_H_

#include <cstdint>

#include "core/base/options.h"
#include "transport/congestion/dcqcn.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/hpcc.h"
#include "transport/congestion/pint.h"
#include "transport/congestion/rate_options.h"
#include "transport/congestion/timely.h"

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

/// An algorithm with what it reads of the options; here for one that reads nothing.
template <class Algorithm>
Algorithm MakeAlgorithm(const CongestionOptions& /*options*/) {
  return Algorithm();
}
template <>
inline Dcqcn MakeAlgorithm<Dcqcn>(const CongestionOptions& options) {
  return Dcqcn(options.dcqcn, options.rates);
}
template <>
inline Hpcc MakeAlgorithm<Hpcc>(const CongestionOptions& options) {
  return Hpcc(options.hpcc, options.rates);
}
template <>
inline Timely MakeAlgorithm<Timely>(const CongestionOptions& options) {
  return Timely(options.timely, options.rates);
}
template <>
inline Dctcp MakeAlgorithm<Dctcp>(const CongestionOptions& options) {
  return Dctcp(options.dctcp, options.rates);
}
template <>
inline Pint MakeAlgorithm<Pint>(const CongestionOptions& options) {
  return Pint(options.pint, options.hpcc, options.rates);
}

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_CONGESTION_CONGESTION_OPTIONS_H_
