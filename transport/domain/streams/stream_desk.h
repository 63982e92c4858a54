// SPDX-License-Identifier: GPL-2.0-only
/// Sums that switches make packet by packet (FlowPost::stream).
///
/// A stream is one sum at one switch: m flows feed it, and others carry it on. Let r_i be the bytes
/// that have come in order of the flow i. Then min(r_1, ..., r_m) bytes are added, and may leave on
/// each of the flows that carry it on; if m > 1, when aggregation.latency has passed. These are
/// ordinary flows of one hop each, so a lost packet is sent again on its link and added once.
/// In the low-latency mode each operation is a stream (collectives/in_network/collnet_schedule.h).
/// Source: the streaming mode of SHARP (Graham et al., ISC 2020), one packet of each child in step.
/// Invariant: no flow that carries a stream on has sent more bytes than any that feeds it has
/// brought, and all end with the same number.
/// Not modelled: a limit to how far one child may be ahead of another. How many streams a switch
/// has is the business of who lays trees (topology/aggregation/tree_ground.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// The streams at a domain's switches.
class StreamDesk {
 public:
  using Node = DomainState::Node;
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds a flow that feeds a stream at `node` and has begun. Returns the input's number, of
  /// ReceiveQueuePair::input.
  std::uint32_t AddInput(const StreamName& name, NodeId node);
  /// Sets the bytes that an input has in order, more than before, and adds what all inputs have.
  void Advance(DomainState& state, std::uint32_t input, std::int64_t bytes);
  /// Lets a flow of `size` bytes carry the stream on: the queue pair `slot`, which has started. All
  /// flows that feed the stream have begun.
  void Open(DomainState& state, const StreamName& name, std::uint32_t slot, std::int64_t size);
  /// Lets the stream's oldest sum leave: FabricEvent::kStreamSum.
  void Release(DomainState& state, std::uint32_t stream);
  /// Forgets a flow that carries a stream on and has failed before it had all of it.
  void Abandon(std::uint32_t slot);

  /// Returns the number of streams under way.
  std::size_t used() const { return index_.size(); }
  std::size_t memory() const;  ///< bytes allocated

  // Checks of a loaded state.
  /// Whether a stream grows this queue pair.
  bool Carries(std::uint32_t slot) const;
  /// Whether an input of this number feeds a stream.
  bool Has(std::uint32_t input) const {
    return input < inputs_.size() && inputs_[input].stream != kNone;
  }
  /// Checks streams and inputs: throws UserError "the saved state has ...". `slots`: of queue
  /// pairs.
  void Check(const DomainState& state, std::size_t slots) const;
  /// Whether an event may name this stream: sums of it have not left.
  bool MayHaveEvent(std::uint32_t stream) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeAll(archive, &inputs_);
    SerializeAll(archive, &streams_);
    archive& free_inputs_& free_streams_;
    if constexpr (Archive::is_loading::value) Index();
  }

 private:
  struct Input {
    std::uint32_t stream = kNone;  ///< kNone: the place is free
    std::int64_t bytes = 0;        ///< in order

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& stream& bytes;
    }
  };
  /// Bytes that may leave at a time.
  struct Sum {
    Time at;
    std::int64_t bytes = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& at& bytes;
    }
  };
  struct Stream {
    StreamName name;
    NodeId node;  ///< invalid: the place is free
    std::vector<std::uint32_t> inputs, outputs;
    std::int64_t size = 0;     ///< 0: nothing carries it on yet
    std::int64_t added = 0;    ///< of every input
    std::uint32_t behind = 0;  ///< inputs that have no byte beyond that, once it has a size
    std::vector<Sum> sums;     ///< that have not left yet, in their order; an event each

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& name& node& inputs& outputs& size& added& behind;
      SerializeAll(archive, &sums);
    }
  };

  template <class Archive, class Record>
  static void SerializeAll(Archive& archive, std::vector<Record>* records) {
    StateCount count(records->size());
    archive& count;
    if constexpr (Archive::is_loading::value) records->resize(count);
    for (Record& record : *records) archive& record;
  }

  /// Returns the number of the stream of this name, made at its first input.
  std::uint32_t StreamOf(const StreamName& name, NodeId node);
  /// Adds the bytes that every input has, and counts the inputs that have no more.
  void Add(Stream* stream) const;
  /// Returns the time from the arrival of the last addend until the sum may leave; a copy takes
  /// none.
  static Time LatencyOf(const DomainState& state, const Stream& stream);
  /// Adds an event for the sum so far, which may leave after LatencyOf().
  void Schedule(DomainState& state, std::uint32_t stream);
  /// Lets the first `bytes` of the stream leave on each flow that carries it on. With the last byte
  /// the stream is over.
  void Grow(DomainState& state, std::uint32_t stream, std::int64_t bytes);
  /// Frees the stream's place and those of its inputs.
  void Free(std::uint32_t stream);
  /// Makes index_ from the loaded streams.
  void Index();

  std::vector<Input> inputs_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> free_inputs_, free_streams_;
  std::map<StreamName, std::uint32_t> index_;
};

}  // namespace heddle
