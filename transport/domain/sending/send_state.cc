// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/send_state.h"

namespace heddle {

void SendState::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kDomains, timeouts.memory() + nics.memory());
  account->Add(Structure::kSenders, pairs.memory() + reliability.memory() + entropies.memory());
  rates.AddMemory(account);
  uec.AddMemory(account);
}

}  // namespace heddle
