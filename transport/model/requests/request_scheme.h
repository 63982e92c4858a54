// SPDX-License-Identifier: GPL-2.0-only
/// What the schemes share that choose the queue pairs of a request: what each declares, and what it
/// gives each queue pair.
///
/// A scheme is a final class with the members of SingleQueuePair
/// (transport/model/requests/single_queue_pair.h); it joins by its place in RequestSchemes
/// (transport/model/requests/request_schemes.h). There are no virtual calls.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/connection_state.h"

namespace heddle {

/// A row of the table of schemes.
struct RequestSchemeTraits {
  const char* name;  ///< a value of requests.scheduler
  const char* does;  ///< for the help of that option
  bool divides;      ///< a message becomes requests
  bool alternates;   ///< requests use all queue pairs of a connection, in turn or at once
  bool splits;       ///< all queue pairs share a request, or may
  bool measures;     ///< completions are samples: CAST
};

/// Options that schemes read: requests.* and cast.* of the same meaning.
struct RequestSchemeSettings {
  std::int64_t split_min = 0;  ///< least bytes a queue pair that make a stripe
  bool moves = false;          ///< each stripe begins with the next queue pair
  bool by_token = false;       ///< what is too small for a stripe goes by tokens
  bool probe = true;           ///< no queue pair gets nothing of a stripe
};

/// What one queue pair gets of a request.
struct RequestShare {
  std::uint32_t queue_pair = 0;
  bool timed = false;  ///< its completion is a sample
  std::int64_t bytes = 0;
};

/// No requests: the transport divides the message at its start (core/traffic/message_split.h).
class WholeMessage final {
 public:
  static constexpr RequestSchemeTraits kTraits = {
      "message",         "a message is divided over all queue pairs of a connection at once",
      /*divides=*/false, /*alternates=*/false,
      /*splits=*/false,  /*measures=*/false};

  explicit WholeMessage(const RequestSchemeSettings& /*settings*/) {}  ///< reads none
  static bool Divide(ConnectionState* /*state*/, std::int64_t /*bytes*/,
                     std::vector<RequestShare>* /*shares*/) {
    return false;
  }
};

}  // namespace heddle
