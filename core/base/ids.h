// SPDX-License-Identifier: GPL-2.0-only
/// Typed indices, so that the compiler distinguishes a node from a port and a domain from a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace heddle {

/// An index of one kind of object. `Tag` only distinguishes the kinds; the default value is "none".
template <class Tag>
struct Id {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();

  constexpr Id() = default;
  /// Names object number `v`, from 0.
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  /// Whether it names an object: not the default "none".
  constexpr bool valid() const { return value != std::numeric_limits<std::uint32_t>::max(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& value;
  }
};

template <class Tag>
constexpr bool operator==(Id<Tag> a, Id<Tag> b) {
  return a.value == b.value;
}
template <class Tag>
constexpr bool operator!=(Id<Tag> a, Id<Tag> b) {
  return a.value != b.value;
}
template <class Tag>
constexpr bool operator<(Id<Tag> a, Id<Tag> b) {
  return a.value < b.value;
}

using NodeId = Id<struct NodeTag>;  ///< a GPU, NVSwitch or switch; numbers as in the topology file
using LinkId = Id<struct LinkTag>;  ///< a cable (both directions), numbered in the file's order
/// A port of one node, numbered from 0 in the file's order of links.
using PortId = Id<struct PortTag>;
/// The unit of parallel simulation: nodes that share an event queue.
using DomainId = Id<struct DomainTag>;
using RankId = Id<struct RankTag>;  ///< an MPI process

/// Bounds of a fabric, ten times the largest study. Node and port are fields of an event's order
/// (core/events/event.h), and a wrong number in a file must not allocate all memory.
inline constexpr std::uint32_t kMaxNodes = 1U << 20;
inline constexpr std::uint32_t kMaxPorts = 1U << 16;  ///< of one node

/// A flow: the GPU that sends it and the number of the flow at this GPU, in the order of requests.
/// Every rank can name a flow without asking another rank, and the order of ids is the canonical
/// order of result rows.
struct FlowId {
  NodeId source;
  std::uint32_t number = 0;

  /// Returns source and number in one word, which orders as (source, number) does.
  constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(source.value) << 32) | number;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& source& number;
  }
};

constexpr bool operator==(FlowId a, FlowId b) { return a.packed() == b.packed(); }
constexpr bool operator!=(FlowId a, FlowId b) { return a.packed() != b.packed(); }
constexpr bool operator<(FlowId a, FlowId b) { return a.packed() < b.packed(); }

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::Id<Tag>> {
  /// Returns the index itself: indices are dense.
  std::size_t operator()(heddle::Id<Tag> id) const noexcept { return id.value; }
};
