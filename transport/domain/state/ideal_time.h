// SPDX-License-Identifier: GPL-2.0-only
/// The ideal completion time of a flow: from its start to its last ACK, if it were alone in the
/// healthy fabric, on the path that its ports choose. Slowdown is the completion time over it.
///
/// Model: store and forward. Over the hops of the path, with w(b) the time of b bytes on a link,
/// F a full packet with headers and L the last one, N packets in all:
///   N = 1: sum of w(L);  N > 1: the largest, over the hops h, of
///   sum of w(F) up to h + (N - 2) * largest w(F) up to h + sum of w(L) from h on;
/// then the delays, and the ACK's return over the path that the swapped ports choose.
/// Invariant: no flow that keeps its path is faster. A packet leaves a node after all of it has
/// arrived, and a link sends one packet at a time, whatever else happens.
/// A link counts with the highest rate that it has in the run, so a link that a failure makes
/// slower shows as slowdown. Not modelled: windows, pacing below the line rate, retransmissions,
/// other traffic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/containers/recent_map.h"
#include "core/records/flow_vocabulary.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"
#include "topology/routes/route_timeline.h"
#include "transport/domain/state/packet_trains.h"

namespace heddle {

/// Computes ideal times of one rank's flows. Remembers parts of paths, so it is not safe for
/// threads.
class IdealTimes {
 public:
  struct Sizes {
    PacketTrains trains;       ///< payloads and headers of data packets
    std::int64_t ack = 0;      ///< of an ACK with its headers [byte]
    bool truncate_ns = false;  ///< times on a link are cut down to nanoseconds
  };
  struct Flow {
    NodeId source, destination;
    std::uint16_t source_port = 0, destination_port = 0;
    std::int64_t size = 0;  ///< payload [byte], > 0
  };

  /// Returns the ends, ports and payload of a record.
  static Flow FlowOf(const FlowRecord& record) {
    return {record.flow.source, record.destination, record.source_port, record.destination_port,
            record.size};
  }

  /// `graph` and `epochs` must outlive it; there is at least one epoch.
  IdealTimes(const Graph& graph, const std::vector<RouteEpoch>& epochs,
             const std::vector<LinkEvent>& events, const Sizes& sizes);

  /// Returns the ideal time by the routes at `start`; 0 if data or ACK have no route at that time.
  Time Of(const Flow& flow, Time start);
  /// Returns the ideal time of a flow that finished at `end`. If routes changed in between, or
  /// `moved` says that its source port did, its packets took several paths at once: then it is at
  /// most end - start.
  Time OfFinished(const Flow& flow, Time start, Time end, bool moved);

  /// Returns the bytes allocated, which do not grow noticeably.
  std::size_t memory() const;

 private:
  struct Hop {
    BitRate rate;
    Time delay;

    friend bool operator==(const Hop& a, const Hop& b) {
      return a.rate == b.rate && a.delay == b.delay;
    }
  };
  using Path = std::vector<Hop>;
  /// All that an ideal time depends on if there is one path only.
  struct Question {
    NodePair ends;
    std::int64_t size = 0;
    std::size_t epoch = 0;

    /// Returns a hash of the ends and the size; flows of all epochs share it.
    std::uint64_t Mixed() const {
      return ends.Mixed() + static_cast<std::uint64_t>(size) * 0xC2B2AE3D27D4EB4FULL;
    }
    friend bool operator==(const Question& a, const Question& b) {
      return a.ends == b.ends && a.size == b.size && a.epoch == b.epoch;
    }
  };
  /// What is known of the paths from a switch to a class of GPUs, up to the last switch.
  enum Suffix : std::uint16_t { kUnknown, kVaries, kFirstPath };

  /// Returns the index of the routes in force at `time`.
  std::size_t EpochAt(Time time) const;
  /// Returns a link's delay and the highest rate that it has in the run.
  Hop HopOf(const Attachment& port) const;
  /// Replaces path_ and only_. Returns false if there is no route.
  bool FindPath(const Flow& flow, std::size_t epoch);
  /// Returns the paths from a switch to GPUs of this class in the first epoch, as a Suffix: kVaries
  /// unless all are equal. Remembers the answer.
  std::uint16_t SuffixOf(NodeId node, std::uint32_t cls);
  /// Computes what SuffixOf() remembers, from the suffixes of the next hops.
  std::uint16_t FindSuffix(NodeId node, std::uint32_t cls);
  /// Returns the suffix of an equal path, added if new; kVaries beyond 1000 different paths.
  std::uint16_t Intern(const Path& path);
  /// Returns the link of a GPU to the switches of the core; of rate 0 if its links differ or it has
  /// none.
  Hop FindAccess(NodeId gpu) const;
  /// Returns the time on a link, cut down to nanoseconds if sizes_ says so.
  Time Wire(BitRate rate, std::int64_t bytes) const;
  /// Returns the time from the first bit to the arrival of the last one, store and forward, for
  /// records of up to `payload` bytes: the formula above, without the ACK.
  Time DataTime(const Path& path, std::int64_t payload, std::int64_t size) const;
  /// Returns the time of one ACK over the path, store and forward.
  Time AckTime(const Path& path) const;

  const Graph& graph_;
  const std::vector<RouteEpoch>& epochs_;
  const Sizes sizes_;
  std::map<LinkId, BitRate> raised_;     ///< highest rates of the links that exceed the graph's
  std::vector<Hop> access_;              ///< by GPU: its links to switches, if all are equal
  std::uint32_t first_switch_;           ///< nodes from here on have suffixes
  std::vector<std::uint16_t> suffixes_;  ///< by class, then switch: a Suffix
  std::vector<Path> paths_;              ///< by suffix - kFirstPath
  Path path_;                            ///< of the flow that is looked at
  bool only_ = false;                    ///< no port decided on it
  RecentMap<Question, Time> known_;      ///< of flows with one path only
  std::vector<PortId> ports_;
};

}  // namespace heddle
