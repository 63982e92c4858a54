// SPDX-License-Identifier: GPL-2.0-only
/// The instances, or parts of them, on one domain's GPUs (serving_driver.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/serving/fabric/step_groups.h"
#include "core/serving/serving_machine.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class ServingAgent final : public FlowAgent, ServingNetwork, StepNetwork {
 public:
  /// `instances`: those whose first GPU is here, ascending. `gpus`: of instances, in this domain,
  /// ascending. `ground` must outlive it.
  ServingAgent(const ServingGround& ground, const std::vector<std::uint32_t>& instances,
               std::vector<NodeId> gpus);

  const ServingMachine& machine() const { return machine_; }
  std::int64_t sent() const { return sent_; }            ///< bytes of KV
  std::int64_t step_sent() const { return step_sent_; }  ///< bytes of collectives of steps
  std::size_t memory() const { return machine_.memory() + steps_.memory(); }  ///< bytes

  void Begin(FlowPoster* port) override;
  void Woken() override;
  void Sent(const FlowCookie& cookie, Time when) override;
  void Received(const FlowCookie& cookie, Time when) override;
  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override;
  bool Awaits(const std::vector<Time>& wakes) const override;
  void Save(StateWriter* to) const override;
  void Load(StateReader* from) override;

 private:
  using Leg = ServingParcel::Leg;
  /// Source and destination of a flow; both invalid: no run sends it.
  using Ends = std::pair<NodeId, NodeId>;

  void Send(const ServingMessage& message, Time at) override;
  void BeginStep(std::uint32_t instance, const StepOrder& order) override;
  void SendPart(const StepMessage& message, std::int64_t bytes, Time at) override;
  void StepEnded(std::uint32_t instance, Time at) override;

  void ReceiveMessage(const ServingParcel& parcel, Time when);
  /// How far the machine lags the domain's clock: later than any notice of its time.
  Time Behind() const { return ground_.notice_delay() + PicoSeconds(1); }
  void WakeForNext();
  bool Has(NodeId gpu) const;
  /// Whether a share has come to a GPU away from the first one of its instance.
  bool IsFarShare(const ServingParcel& parcel, NodeId first) const;
  /// Whether the roles of the instances fit the message, and its share exists.
  bool CanSend(const ServingMessage& message) const;
  /// The same of messages from and to a router.
  bool CanRoute(const ServingMessage& message) const;
  Ends EndsOf(const ServingParcel& parcel) const;
  Ends EndsOf(const PartParcel& parcel) const;
  Ends EndsOf(const OrderParcel& parcel) const;
  void PostShare(const ServingMessage& message, Time at);
  void PostMessage(const ServingMessage& message, Leg leg, const Ends& ends, Time at,
                   std::int64_t bytes);
  /// Posts a flow of `bytes` that is handed over at `at`.
  template <class Parcel>
  void Post(const Parcel& parcel, const Ends& ends, Time at, std::int64_t bytes);

  const ServingGround& ground_;
  std::vector<NodeId> gpus_;
  ServingMachine machine_;
  StepGroups steps_;
  FlowPoster* port_ = nullptr;
  std::vector<Time> wakes_;  ///< asked for and not yet come, descending
  std::int64_t sent_ = 0, step_sent_ = 0;
};

}  // namespace heddle
