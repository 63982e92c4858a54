// SPDX-License-Identifier: GPL-2.0-only
/// The components of all instances of an infrastructure, and the edges between them, one by one.
#ifndef HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_NODES_H_
#define HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_NODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/infragraph/infragraph_model.h"

namespace heddle {

/// A component of an instance, also of a device within a device.
struct InfraNode {
  InfraKind kind = InfraKind::kOther;
  std::uint32_t box = 0;
  const InfraComponent* component = nullptr;
  std::uint32_t index = 0;  ///< among those of its device
};

/// A machine or a switch: an instance of a device. Of racks and the like, whose GPUs are in devices
/// of their own, each of these and each component is a box.
struct InfraBox {
  std::string name;  ///< "server.3"
};

/// An edge between two nodes. Each pair has one at most.
struct InfraCable {
  std::uint32_t a = 0, b = 0;  ///< nodes
  const InfraLink* link = nullptr;
  std::int64_t line = 0;
};

/// Refers to the infrastructure.
struct InfraNodes {
  std::vector<InfraBox> boxes;
  std::vector<InfraNode> nodes;     ///< by box, then as the device lists them
  std::vector<InfraCable> inside;   ///< of a box
  std::vector<InfraCable> between;  ///< of two boxes
};

/// Most nodes and cables.
inline constexpr std::size_t kMostInfraNodes = 4'000'000;

/// Expands instances, slices and schemes. Throws UserError with file and line for names that there
/// are not, indices beyond a count, ends of one2one with different numbers, devices within
/// themselves, and more than kMostInfraNodes.
InfraNodes ExpandInfragraph(const Infrastructure& all);

}  // namespace heddle

#endif  // HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_NODES_H_
