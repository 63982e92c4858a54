// SPDX-License-Identifier: GPL-2.0-only
/// All requests go to queue pair 0, however many there are.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/request_scheme.h"

namespace heddle {

class SingleQueuePair final {
 public:
  /// Its row of the table of schemes.
  static constexpr RequestSchemeTraits kTraits = {
      "single",         "every request goes to queue pair 0",
      /*divides=*/true, /*alternates=*/false,
      /*splits=*/false, /*measures=*/false};

  explicit SingleQueuePair(const RequestSchemeSettings& /*settings*/) {}  ///< reads none
  /// Appends the shares of a request of `bytes` > 0 to the empty `shares`, in the order of posting,
  /// none of 0 bytes. Returns whether their completions are samples.
  static bool Divide(ConnectionState* /*state*/, std::int64_t bytes,
                     std::vector<RequestShare>* shares) {
    shares->push_back({0, false, bytes});
    return false;
  }
};

}  // namespace heddle
