// SPDX-License-Identifier: GPL-2.0-only
/// Serving over a network of packets: each domain's agent runs the instances whose first GPU it
/// has, and posts their messages.
///
/// Offers, grants and shares of KV are messages, and what the collectives of steps send where they
/// leave GPUs that NVSwitches join (core/serving/steps). A message is handed over when the instance
/// sends it, and its queue pair is created one send latency later. A GPU in another group than the
/// first of its instance is asked for a share by a message from that one, and says by messages to
/// it that a share has left or has come: an agent hears of nothing but flows, and groups may be in
/// domains of their own.
///
/// A destination learns of a message up to the notice delay late. So an agent runs what happens at
/// T when the domain's clock is at T plus the notice delay and a bit, as the agents of a schedule
/// do (core/goal/goal_driver.h). No time depends on this delay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/memory_account.h"
#include "core/serving/fabric/serving_agent.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// This MPI rank's part.
class ServingDriver final : public FlowDriver {
 public:
  /// `plan` and `requests` must outlive it. `send_latency`: from the hand-over of a message to the
  /// creation of its queue pair; less than kLeastLatency counts as that. `groups`: by GPU; GPUs of
  /// one group are in one domain (NvLinkGroups(), topology/graph/nvlink_groups.h).
  ServingDriver(const ServingPlan& plan, const ServingRequests& requests, Time send_latency,
                std::vector<std::uint32_t> groups);
  ~ServingDriver() override;

  static constexpr Time kLeastLatency = NanoSeconds(10);

  /// Returns a GPU that a division into domains parts from the first one of its instance, or of its
  /// group in a step, although they are in one group; invalid: there is none.
  NodeId FindDivided(const std::vector<DomainId>& domain_of) const;

  /// Makes the agent of the instances with GPUs among `nodes`; null if there are none.
  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  /// Returns the send latency less 2 ps, which the agent's wake takes.
  Time notice_delay() const override { return ground_.notice_delay(); }
  /// Returns false: its messages belong to no collective.
  bool origins() const override { return false; }

  /// Whether a message with this cookie is of serving, and not of a collective of a job.
  static bool Owns(const FlowCookie& cookie);

  /// Requests that have not ended in the instances here; a request in two instances may count
  /// twice.
  std::uint64_t open() const;
  /// Time of the last event of the instances here.
  Time end() const;
  /// Bytes of KV that were sent from here.
  std::int64_t sent_bytes() const;
  /// Bytes of collectives of steps that were sent from here.
  std::int64_t step_bytes() const;
  std::vector<ServingRecord> records() const;  ///< of the instances here
  std::vector<InstanceTotals> totals() const;  ///< likewise
  TokenGaps gaps() const;                      ///< of all instances here
  /// Returns instances here with open requests, by number, and what their first one waits for; at
  /// most `most`.
  std::vector<std::pair<std::uint32_t, std::string>> Waiting(std::size_t most) const;
  /// Throws InvariantError unless the blocks taken are those that requests hold.
  void CheckBlocks() const;
  /// Adds the bytes of all agents here to Structure::kExecution.
  void AddMemory(MemoryAccount* account) const;

 private:
  static constexpr std::uint32_t kNoInstance = ~0U;
  /// The instance of a GPU, or kNoInstance.
  std::uint32_t InstanceOf(NodeId gpu) const {
    return gpu.value < instance_of_.size() ? instance_of_[gpu.value] : kNoInstance;
  }

  ServingGround ground_;
  std::vector<std::uint32_t> instance_of_;  ///< by node
  std::vector<std::unique_ptr<ServingAgent>> agents_;
};

}  // namespace heddle
