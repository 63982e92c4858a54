// SPDX-License-Identifier: GPL-2.0-only
/// The seam between the transport and what drives it: flows are posted while the simulation runs,
/// and their ends reported.
///
/// The poster (a collective's execution) and the transport know each other through these types
/// only. A flow carries a note, plain bytes that its receiver's agent gets when the flow is
/// complete: no table of flows exists anywhere, and what depends on a flow is found where it
/// arrives.
#ifndef HEDDLE_CORE_TRAFFIC_FLOW_AGENT_H_
#define HEDDLE_CORE_TRAFFIC_FLOW_AGENT_H_

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

class StateReader;
class StateWriter;

/// What the poster of a flow wants to be told with its completion.
struct FlowNote {
  alignas(8) unsigned char bytes[32];

  template <class Record>
  static FlowNote Of(const Record& record) {
    static_assert(sizeof(Record) == sizeof(FlowNote) && std::is_trivially_copyable_v<Record>);
    FlowNote note;
    std::memcpy(note.bytes, &record, sizeof(Record));
    return note;
  }
  template <class Record>
  Record As() const {
    static_assert(sizeof(Record) == sizeof(FlowNote) && std::is_trivially_copyable_v<Record>);
    Record record;
    std::memcpy(&record, bytes, sizeof(Record));
    return record;
  }
};

/// What of a flow is written down with its result, so that people find the collective it belongs
/// to.
struct FlowLabel {
  std::uint32_t operation = kNone;  ///< of the job (collectives/job/program.h)
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0;
  std::uint16_t job = 0;

  static constexpr std::uint32_t kNone = ~0U;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& operation& chunk& channel& job;
  }
};

/// A flow that shall start.
struct FlowPost {
  Time start;  ///< creation of its queue pair, software latency included; not before now
  Time asked;  ///< when the software hands it over, from which its latency counts: the controller
               ///< is asked then; not before the completion that made it possible
  NodeId source;  ///< a GPU, or an NVSwitch, of the domain that posts it
  NodeId destination;
  std::int64_t size = 0;  ///< payload [byte], > 0
  std::uint64_t order =
      0;  ///< rank among the flows of one source that start at the same time; lower first
  FlowNote note;
  FlowLabel label;
};

/// The transport as an agent sees it. One a domain.
class FlowPort {
 public:
  /// The flow's place in the order of its source does not depend on when it was posted, only on
  /// (start, order).
  virtual void Post(const FlowPost& flow) = 0;

 protected:
  ~FlowPort() = default;
};

/// What drives the flows of one domain's hosts. Its functions are called while the domain runs, in
/// an order that depends on the cut of the fabric: what an agent does may depend on the times it is
/// told, never on the order in which it is told of equal or nearly equal times.
class FlowAgent {
 public:
  virtual ~FlowAgent() = default;
  /// Once, before the first event. `port` outlives the agent.
  virtual void Begin(FlowPort* port) = 0;
  /// The last byte of a flow posted here has been put on the wire for the first time, at `when`
  /// (now, or the end of the packet).
  virtual void Sent(const FlowNote& note, Time when) = 0;
  /// A flow to a host of this domain is complete since `when`; the domain's clock may be past it,
  /// by less than anything that the agent may post in consequence waits (FlowDriver::notice_delay).
  virtual void Received(const FlowNote& note, Time when) = 0;
  /// Whether a note may be of a message from `source` (invalid: of any host) to `destination`
  /// (invalid: of any host of this domain). Asked of notes that come from a checkpoint; who says so
  /// must be able to take them.
  virtual bool Knows(const FlowNote& /*note*/, NodeId /*source*/, NodeId /*destination*/) const {
    return true;
  }
  /// What it knows of the run so far, for checkpoints (core/checkpoint/state_archive.h). At a cut
  /// only.
  virtual void Save(StateWriter* to) const = 0;
  /// Takes over what another run's agent of the same domain saved; after Begin().
  virtual void Load(StateReader* from) = 0;
};

/// The agents of a run, and how long they take to act.
class FlowDriver {
 public:
  virtual ~FlowDriver() = default;
  /// The agent of a domain with these nodes; null if it has nothing to do there. Owned by the
  /// driver.
  virtual FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) = 0;
  /// No agent posts a flow that starts earlier than this after the completion that made it
  /// possible; > 0.
  virtual Time notice_delay() const = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_TRAFFIC_FLOW_AGENT_H_
