// SPDX-License-Identifier: GPL-2.0-only
/// The schemes of reliable delivery, and what the chosen one declares.
///
/// A scheme is a final class with the members that GoBackN has; it joins by its entry in
/// ReliabilitySchemes. There are no virtual calls: senders and receivers of a domain each have one
/// object of the chosen scheme (SendReliability, ReceiveReliability).
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "transport/model/reliability/delivery.h"
#include "transport/model/reliability/go_back_n.h"
#include "transport/model/reliability/irn.h"
#include "transport/model/reliability/placing_go_back_n.h"

namespace heddle {

/// All schemes. Any options choose exactly one of them (IsChosen).
using ReliabilitySchemes = std::variant<GoBackN, PlacingGoBackN, Irn>;

/// What the chosen scheme declares.
struct SchemeTraits {
  const char* name = nullptr;  ///< as the summary of a run says
  bool keeps = false;          ///< receivers keep what arrives beyond a gap
};
/// Returns the declarations of the scheme that `options` choose.
SchemeTraits TraitsOf(const ReliabilityOptions& options);

namespace detail {
/// A variant with Side<Scheme> for each scheme. A side is made from DeliveryRules.
template <template <class> class Side, class Schemes>
struct SidesOf;
template <template <class> class Side, class... Scheme>
struct SidesOf<Side, std::variant<Scheme...>> {
  using Type = std::variant<Side<Scheme>...>;

  /// Returns the side of the scheme that rules.options choose.
  static Type Make(const DeliveryRules& rules) {
    return Make(rules, std::index_sequence_for<Scheme...>());
  }

 private:
  /// Starts with the first scheme, and replaces it by the chosen one.
  template <std::size_t... I>
  static Type Make(const DeliveryRules& rules, std::index_sequence<I...> /*places*/) {
    Type sides(std::in_place_index<0>, rules);
    ((Scheme::IsChosen(rules.options) ? (void)sides.template emplace<I>(rules) : void()), ...);
    return sides;
  }
};
}  // namespace detail

/// One side of the run's scheme, of senders or of receivers.
template <template <class> class Side>
using ReliabilitySides = detail::SidesOf<Side, ReliabilitySchemes>;

}  // namespace heddle
