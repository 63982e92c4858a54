// SPDX-License-Identifier: GPL-2.0-only
/// Some ranks receive and the others send, as storage servers and their clients: recvs_one_src and
/// recvs_all_src of ORCS 2.0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// `argument`: "K[,P1[,P2]][,rand|linear]". Ranks 0 to K - 1 receive (at most half of all), the
/// j-th of the others sends to receiver j modulo those left, in order of rank or (rand, the
/// default) drawn. recvs_one_src takes a receiver away once it has a sender; who finds none is
/// silent. P1 [%], 100 unless given: chance to send to a receiver; otherwise a rank is idle with
/// chance P2 [%], 0 unless given, or sends to a rank that is no receiver. Throws UserError.
std::unique_ptr<LevelPattern> MakeReceiverPattern(const std::string& name,
                                                  const std::string& argument, std::uint32_t ranks);

}  // namespace heddle
