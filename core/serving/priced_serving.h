// SPDX-License-Identifier: GPL-2.0-only
/// Serving over a network of prices: each message takes the time that it would take alone, so none
/// meets another; those of collectives in steps, too.
#pragma once

#include "core/serving/serving_machine.h"

namespace heddle {

/// How long a message takes alone.
class TransferPrices {
 public:
  virtual ~TransferPrices() = default;
  /// Returns the time of a message without KV between the first GPUs of two instances; > 0.
  virtual Time ControlTime(std::uint32_t from, std::uint32_t to) const = 0;
  /// Returns the time of `bytes` from one GPU to another; > 0.
  virtual Time TransferTime(NodeId from, NodeId to, std::int64_t bytes) const = 0;
};

class PricedServing final : ServingNetwork {
 public:
  /// All must outlive it.
  PricedServing(const ServingPlan& plan, const ServingRequests& requests,
                const TransferPrices& prices);

  /// Runs until nothing is left to happen. Throws InvariantError if a request has not ended then.
  void Run();
  const ServingMachine& machine() const { return machine_; }
  /// Bytes of KV that were sent.
  std::int64_t sent_bytes() const { return sent_; }

 private:
  void Send(const ServingMessage& message, Time at) override;
  void BeginStep(std::uint32_t instance, const StepOrder& order) override;

  const ServingPlan& plan_;
  const ServingRequests& requests_;
  const TransferPrices& prices_;
  ServingMachine machine_;
  std::int64_t sent_ = 0;
};

}  // namespace heddle
