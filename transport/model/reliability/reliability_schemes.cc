// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/reliability_schemes.h"

namespace heddle {
namespace {

template <class Scheme>
struct Declared {
  explicit Declared(const DeliveryRules& /*rules*/) {}
  SchemeTraits traits{Scheme::kName, Scheme::kKeeps};
};

}  // namespace

SchemeTraits TraitsOf(const ReliabilityOptions& options) {
  return std::visit([](const auto& declared) { return declared.traits; },
                    ReliabilitySides<Declared>::Make({options, 1, false}));
}

}  // namespace heddle
