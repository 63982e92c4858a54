// SPDX-License-Identifier: GPL-2.0-only
/// The list of congestion controls, and their options: which one runs, what several share, and each
/// one's own.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>

#include "transport/model/congestion/dcqcn.h"
#include "transport/model/congestion/dctcp.h"
#include "transport/model/congestion/hpcc.h"
#include "transport/model/congestion/no_control.h"
#include "transport/model/congestion/pint.h"
#include "transport/model/congestion/rate_options.h"
#include "transport/model/congestion/timely.h"

namespace heddle {

class OptionSet;

/// All that there are, by kMode. The one list: modes, options, sizes and checks follow from it.
using CongestionAlgorithms = std::variant<NoControl, Dcqcn, Hpcc, Timely, Dctcp, Pint>;

namespace detail {
template <class Algorithm>
struct OwnOptions {
  typename Algorithm::Options options;
};
template <class List>
struct OptionsOfList;
template <class... Algorithm>
struct OptionsOfList<std::variant<Algorithm...>> {
  using Type = std::tuple<OwnOptions<Algorithm>...>;
};
}  // namespace detail

struct CongestionOptions {
  std::int64_t mode = Dcqcn::kMode;  ///< the algorithm's number, CC_MODE
  RateOptions rates;
  detail::OptionsOfList<CongestionAlgorithms>::Type own;

  template <class Algorithm>
  typename Algorithm::Options& Of() {
    return std::get<detail::OwnOptions<Algorithm>>(own).options;
  }
  template <class Algorithm>
  const typename Algorithm::Options& Of() const {
    return std::get<detail::OwnOptions<Algorithm>>(own).options;
  }

  void Declare(OptionSet* options);
  /// transport/model/replay/replay_permission.h.
  std::string WhyNoReplay() const;
};

/// "0 (none), 1 (DCQCN), ..": the modes that exist.
std::string CongestionModes();

/// An algorithm with what it reads of the options: its own and those that are shared.
template <class Algorithm>
Algorithm MakeAlgorithm(const CongestionOptions& options) {
  return Algorithm(options.Of<Algorithm>(), options.rates);
}
/// HPCC-PINT reads HPCC's besides.
template <>
inline Pint MakeAlgorithm<Pint>(const CongestionOptions& options) {
  return Pint(options.Of<Pint>(), options.Of<Hpcc>(), options.rates);
}

}  // namespace heddle
