// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/send_reliability.h"

namespace heddle {

SendReliability::SendReliability(const DeliveryRules& rules) : side_(Sides::Make(rules)) {
  learns_ = std::visit(
      [](const auto& side) { return std::decay_t<decltype(side.scheme)>::kLearns; }, side_);
}

void SendReliability::Start(std::uint32_t slot) {
  std::visit([slot](auto& side) { side.states.Start(slot, side.scheme.NewSender()); }, side_);
}

void SendReliability::Learn(std::uint32_t slot, QueuePair* pair, const Packet& answer) {
  std::visit([&](auto& side) { side.scheme.OnAnswer(side.states.At(slot), pair, answer); }, side_);
}

std::int64_t SendReliability::OnNack(std::uint32_t slot, QueuePair* pair, const Packet& nack) {
  return std::visit(
      [&](auto& side) { return side.scheme.OnNack(side.states.At(slot), pair, nack); }, side_);
}

std::int64_t SendReliability::OnTimeout(std::uint32_t slot, QueuePair* pair) {
  return std::visit([&](auto& side) { return side.scheme.OnTimeout(side.states.At(slot), pair); },
                    side_);
}

std::int64_t SendReliability::NextResend(std::uint32_t slot, QueuePair* pair) {
  return std::visit([&](auto& side) { return side.scheme.NextResend(side.states.At(slot), pair); },
                    side_);
}

std::size_t SendReliability::memory() const {
  return std::visit([](const auto& side) { return side.states.memory(); }, side_);
}

bool SendReliability::Covers(std::size_t slots) const {
  return std::visit([slots](const auto& side) { return side.states.Cover(slots); }, side_);
}

void SendReliability::Check(std::uint32_t slot, const QueuePair& pair) const {
  std::visit([&](const auto& side) { side.scheme.CheckSender(side.states.At(slot), pair); }, side_);
}

}  // namespace heddle
