// SPDX-License-Identifier: GPL-2.0-only
/// One instance: its batch, the requests that are in it, and what it sends to other instances.
///
/// A decode instance takes blocks for a prompt's KV before the prefill instance sends it (as SGLang
/// does; vLLM's decode side reads when it has blocks): the prefill instance offers a request whose
/// prompt is computed, or begins to be if KV leaves before (KvTransfer), and keeps its blocks until
/// all of its KV has left; the decode instance grants offers in the order in which they come, amid
/// its steps too. Of a prompt whose first blocks are in its prefix cache it says so in the grant,
/// and gets the rest (as vLLM's NIXL connector reads what is missing).
///
/// With a router it tells that of each request that has ended here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "core/serving/batcher.h"
#include "core/serving/model/serving_request.h"
#include "core/serving/serving_plan.h"
#include "core/serving/serving_record.h"
#include "core/serving/steps/step_group.h"

namespace heddle {

/// What instances tell each other of a request.
struct ServingMessage {
  enum class Kind : std::uint8_t {
    kOffer,  ///< to the decode instance: the prompt is computed
    kGrant,  ///< to the prefill instance: there is room
    kKv,     ///< a share of the KV
    kRoute,  ///< from the router's instance: this request is yours
    kEnded   ///< to the router's instance: this request has ended here
  };
  Kind kind = Kind::kOffer;
  /// Of kGrant and kKv: blocks of the prompt that the decode instance has (kPromptBlockTokens).
  std::uint16_t there = 0;
  std::uint32_t request = 0;
  std::uint32_t from = 0, to = 0;  ///< instances
  /// Of kKv: of SplitKv(). Of kRoute: the decode instance. Of kEnded: 1 if its decode instance
  /// never gets it, else 0.
  std::uint32_t share = 0;
  /// Of kKv: the units of the prompt (ServingPlan::KvUnits()).
  std::uint32_t begin = 0, end = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& kind& there& request& from& to& share& begin& end;
  }

  /// Tokens of `there`.
  std::uint32_t tokens_there() const {
    return there * static_cast<std::uint32_t>(kPromptBlockTokens);
  }
};
static_assert(sizeof(ServingMessage) == 28, "it travels in a cookie, beside its tag");

/// What carries the messages.
class ServingNetwork {
 public:
  /// Sends a message that is ready at `at`. Answered at the destination, later than `at`, and of
  /// kKv at the source when it has left. The source may be the destination.
  virtual void Send(const ServingMessage& message, Time at) = 0;
  /// Begins the collectives of a step whose messages are sent (InstancePlan::sends_in_steps()).
  /// Answered by ServingMachine::StepEnded(), at a later time.
  virtual void BeginStep(std::uint32_t instance, const StepOrder& order) = 0;

 protected:
  ~ServingNetwork() = default;
};

class ServingInstance {
 public:
  /// `number`: of the plan's. All must outlive it.
  ServingInstance(const ServingPlan& plan, const ServingRequests& requests, std::uint32_t number,
                  ServingNetwork* network);

  /// A request comes at `at`, whose answer `decoder` computes; itself, if it is mixed.
  void Arrive(std::uint32_t request, std::uint32_t decoder, Time at);
  /// A message comes at `at`.
  void Receive(const ServingMessage& message, Time at);
  /// A share of a request's KV has left at `at`.
  void Left(const ServingMessage& message, Time at);
  /// The step under way ends at `at`.
  void EndStep(Time at);
  /// Part `part` of the layers of the step under way is computed (PartTimes()).
  void EndPart(std::uint32_t part);
  /// Returns when parts 1, 2, ... of the layers of the step that Continue() began are computed, but
  /// for the last; none unless KV leaves by layer.
  std::vector<Time> PartTimes(Time end) const;
  /// After all that happened at `at`: sends KV that is ready and granted, begins a step if none is
  /// under way and there is work, and grants what there is room for. Returns when the step that
  /// began here ends; Time::Max(): none began, or the network says when it ends.
  Time Continue(Time at);

  std::uint32_t number() const { return number_; }
  /// Requests that have not ended here.
  std::size_t open() const { return open_.size(); }
  /// Returns what a request here waits for, in words.
  std::string WaitsFor(std::uint32_t request) const;
  /// Returns the open request with the lowest number; open() > 0.
  std::uint32_t first_open() const { return open_.begin()->first; }
  const std::vector<ServingRecord>& records() const { return records_; }  ///< as they ended
  /// Adds the records of all requests, open ones too.
  void AddRecords(std::vector<ServingRecord>* records) const;
  const TokenGaps& gaps() const { return gaps_; }
  const InstanceTotals& totals() const { return totals_; }
  /// Throws UserError for loaded state that no run of this plan can have saved.
  void CheckState() const;
  /// Throws InvariantError unless the blocks taken are those that its requests hold, and the prefix
  /// cache is sound.
  void CheckBlocks() const;
  /// Bytes that it has allocated, as far as requests make them grow.
  std::size_t memory() const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& batcher_& open_& peers_& offers_& arriving_& parked_& sendings_& missing_& busy_&
        begun_& computing_& records_& gaps_& totals_;
  }

 private:
  const InstancePlan& plan() const { return plan_.instances[number_]; }
  ServingRecord& Open(std::uint32_t request);
  /// Moves a request's record to those that ended. `wholly`: its decode instance never gets it.
  void Close(std::uint32_t request, bool wholly, Time at);
  /// Whether the KV of a request ever fits here and at its decoder, and its prompt into a step.
  bool Fits(const ServingRequest& request, std::uint32_t decoder) const;
  void AddToken(const Sequence& sequence, Time at);
  /// A request begins here with tokens of its prompt that were in the prefix cache.
  void AddCached(std::int64_t tokens, ServingRecord* record);
  /// Blocks of the prefix cache that the requests here hold, each as often as it is held.
  std::int64_t CountShared() const;
  /// What CheckBlocks() checks, without going through the prefix cache.
  void CheckCounts() const;
  /// A sequence has all tokens that it gets here.
  void Finish(Sequence sequence, Time at);
  /// The KV of an open request that leaves here.
  struct Sending {
    std::uint32_t ready = 0, sent = 0;  ///< units that are computed, and those that were sent
    std::uint16_t there = 0;            ///< blocks of the prompt that are not to be sent
    bool granted = false;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& ready& sent& there& granted;
    }
  };

  /// Whether a run can have saved it.
  bool IsSound(const Sending& sending, const ServingRequest& request) const;
  /// Whether the KV of requests that begin here leaves before their prompts are computed.
  bool sends_early() const {
    return plan().role == InstanceRole::kPrefill && plan_.kv_transfer != KvTransfer::kEnd;
  }
  /// Whether a request ends here with its first token.
  bool EndsHere(std::uint32_t request) const {
    return plan_.first_token == FirstToken::kPrefill && requests_[request].output == 1;
  }
  void Offer(std::uint32_t request, Time at);
  /// Units of a request are computed; no fewer than before.
  void SetReady(std::uint32_t request, std::int64_t units);
  void SendReady(Time at);
  /// The first units of a request leave from `message` on.
  void TakeGrant(const ServingMessage& message);
  void TakeShare(const ServingMessage& message, Time at);
  void Grant(Time at);
  /// Begins a step of `work`, and returns its end as Continue() does.
  Time BeginStep(const StepWork& work, Time at);

  const ServingPlan& plan_;
  const ServingRequests& requests_;
  std::uint32_t number_;
  ServingNetwork* network_;
  Batcher batcher_;
  std::map<std::uint32_t, ServingRecord> open_;
  std::map<std::uint32_t, std::uint32_t>
      peers_;                                   ///< of open requests: decoder, or prefill instance
  std::deque<std::uint32_t> offers_;            ///< requests without room here
  std::map<std::uint32_t, Sequence> arriving_;  ///< have room, and their KV is under way
  std::map<std::uint32_t, Sequence> parked_;    ///< computed, and their KV has not left
  std::map<std::uint32_t, Sending> sendings_;   ///< offered, and not all of their KV was sent
  /// Units of KV that have not come or left, of all shares.
  std::map<std::uint32_t, std::uint64_t> missing_;
  bool busy_ = false;
  Time begun_;      ///< the step under way
  Time computing_;  ///< of it, without collectives
  std::vector<ServingRecord> records_;
  TokenGaps gaps_;
  InstanceTotals totals_;
};

}  // namespace heddle
