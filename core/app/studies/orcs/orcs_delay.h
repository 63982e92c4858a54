// SPDX-License-Identifier: GPL-2.0-only
/// ORCS's own dep_max_delay. In 2.0 a message waits for the first listed that reached its sender in
/// the level just before, and that only if it is its sender's first of its level; other messages
/// begin at 0. 1.1 follows only the chains that begin at the messages whose places in its graph,
/// two for each message, are numbers of ranks that send in the first level.
#pragma once

#include <memory>

#include "core/app/studies/orcs/orcs_arguments.h"
#include "topology/load/message_delay.h"

namespace heddle {

std::unique_ptr<MessageDelay> MakeOrcsDelay(OrcsVersion version);

}  // namespace heddle
