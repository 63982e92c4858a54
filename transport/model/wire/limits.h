// SPDX-License-Identifier: GPL-2.0-only
/// Constants shared by hosts, switches and links.
#pragma once

namespace heddle {

/// Traffic classes of a link, 0 to 7 (IEEE 802.1Q); PFC pauses each by itself.
constexpr int kPriorities = 8;

}  // namespace heddle
