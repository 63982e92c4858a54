// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/packet_entropies.h"

#include <algorithm>

#include "core/base/memory_account.h"

namespace heddle {

void PacketEntropies::Start(const EntropyChooser& chooser, std::uint32_t slot, std::uint64_t seed,
                            FlowId flow, std::uint16_t first, Time base_rtt) {
  if (pairs_.size() <= slot) pairs_.resize(slot + slot / 2 + 4);
  pairs_[slot] = Pair();
  chooser.Start(&pairs_[slot].state, seed, flow, first, base_rtt);
}

std::uint16_t PacketEntropies::Next(const EntropyChooser& chooser, std::uint32_t slot,
                                    std::int64_t packet, Time now) {
  Pair& pair = pairs_[slot];
  pair.may_probe = 1;
  const std::uint16_t entropy = chooser.Next(&pair.state, now);
  const std::int64_t after = packet - pair.first;
  if (after >= 0 && after < static_cast<std::int64_t>(pair.sent.size())) {
    pair.sent[static_cast<std::size_t>(after)] = entropy;
    return entropy;
  }
  if (after != static_cast<std::int64_t>(pair.sent.size())) {  // begins anew somewhere else
    pair.sent = {};
    pair.first = packet;
  }
  pair.sent.Push(entropy);
  return entropy;
}

void PacketEntropies::Lost(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packet,
                           Time now) {
  Pair& pair = pairs_[slot];
  const std::int64_t after = packet - pair.first;
  if (after < 0 || after >= static_cast<std::int64_t>(pair.sent.size())) return;
  const std::uint16_t entropy = pair.sent[static_cast<std::size_t>(after)];
  chooser.Heard(&pair.state, entropy, PathFeedback::kLost, now);
}

void PacketEntropies::Forget(std::uint32_t slot, std::int64_t packet) {
  Pair& pair = pairs_[slot];
  for (; pair.first < packet && !pair.sent.empty(); ++pair.first) pair.sent.Pop();
  pair.first = std::max(pair.first, packet);
}

bool PacketEntropies::ProbeDue(const EntropyChooser& chooser, std::uint32_t slot, Time now,
                               std::uint16_t* entropy) {
  Pair& pair = pairs_[slot];
  if (pair.may_probe == 0 || now < chooser.NextProbe(pair.state)) return false;
  if (pair.probe != kNoProbe)
    chooser.Probed(&pair.state, static_cast<std::uint16_t>(pair.probe), false, now);
  if (!chooser.ProbeDue(&pair.state, now, entropy)) return false;
  pair.probe = *entropy;
  pair.may_probe = 0;
  return true;
}

void PacketEntropies::ProbeArrived(const EntropyChooser& chooser, std::uint32_t slot,
                                   std::uint16_t entropy, Time now) {
  Pair& pair = pairs_[slot];
  if (pair.probe != entropy) return;
  pair.probe = kNoProbe;
  chooser.Probed(&pair.state, entropy, true, now);
}

std::size_t PacketEntropies::memory() const {
  std::size_t memory = MemoryReached(pairs_);
  for (const Pair& pair : pairs_) memory += pair.state.memory() + pair.sent.memory();
  return memory;
}

void PacketEntropies::Check(const EntropyChooser& chooser, std::uint32_t slot,
                            std::int64_t packets) const {
  ExpectState(slot < pairs_.size(), "a queue pair without entropies");
  const Pair& pair = pairs_[slot];
  chooser.Check(pair.state);
  const auto sent = static_cast<std::int64_t>(pair.sent.size());
  ExpectState(pair.first >= 0 && pair.first <= packets && sent <= packets - pair.first,
              "entropies of packets that a flow does not have");
  ExpectState(pair.probe >= kNoProbe && pair.probe <= 65535 && pair.may_probe <= 1,
              "a probe of no entropy");
}

}  // namespace heddle
