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

/// All algorithms, in ascending order of kMode. The one list: modes, options, sizes and checks
/// follow from it.
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

  /// Returns the own options of one algorithm, whether or not it is the one that runs.
  template <class Algorithm>
  typename Algorithm::Options& Of() {
    return std::get<detail::OwnOptions<Algorithm>>(own).options;
  }
  /// Returns the same for readers.
  template <class Algorithm>
  const typename Algorithm::Options& Of() const {
    return std::get<detail::OwnOptions<Algorithm>>(own).options;
  }

  /// Adds transport.congestion_control, the shared rates and the options of every algorithm, which
  /// write into this struct.
  void Declare(OptionSet* options);
  /// Returns a reason against replays: the chosen algorithm heeds every ACK. Empty if it heeds CNPs
  /// only. Throws UserError if `mode` does not exist (transport/model/replay/replay_permission.h).
  std::string WhyNoReplay() const;
};

/// Returns the modes that exist, as "0 (none), 1 (DCQCN), ..".
std::string CongestionModes();

/// Makes an algorithm from what it reads: its own options and the shared ones.
template <class Algorithm>
Algorithm MakeAlgorithm(const CongestionOptions& options) {
  return Algorithm(options.Of<Algorithm>(), options.rates);
}
/// Makes HPCC-PINT, which also reads HPCC's options.
template <>
inline Pint MakeAlgorithm<Pint>(const CongestionOptions& options) {
  return Pint(options.Of<Pint>(), options.Of<Hpcc>(), options.rates);
}

}  // namespace heddle
