// SPDX-License-Identifier: GPL-2.0-only
/// InfraGraph's description of a fabric as it is written: devices made of components, instances of
/// devices, and edges between them.
///
/// Source: InfraGraph 0.1 to 2.4 (Keysight/infragraph): its protobuf and OpenAPI schema, its
/// examples and how its service expands them. YAML or JSON. Edges are objects with two ends and a
/// scheme, or, in 0.1, texts "server.0.nic.0.eth.leaf.0.port.0" under `connections`.
/// Not read: annotations.
#ifndef HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_MODEL_H_
#define HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// What a component is. kOther: custom ones, memory.
enum class InfraKind : std::uint8_t { kGpu, kCpu, kNic, kPort, kSwitch, kDevice, kOther };

struct InfraComponent {
  std::string name;
  std::string description;
  InfraKind kind = InfraKind::kOther;
  std::uint32_t count = 1;
};

struct InfraLink {
  std::string name;
  std::string description;
  BitRate rate;  ///< 0: not given
  Time delay;
  bool has_delay = false;
  bool by_transfers = false;  ///< its bandwidth is in transfers a second: PCIe
};

/// Some components of some instances: names with slices, such as "host[0:2]" and "cx5[0].port".
struct InfraEnd {
  std::string instance;   ///< empty in devices
  std::string component;  ///< a path through devices in devices, joined by dots
};

struct InfraEdge {
  enum class Scheme : std::uint8_t { kOneToOne, kManyToMany, kRing };

  InfraEnd a, b;
  Scheme scheme = Scheme::kOneToOne;
  std::string link;
  std::int64_t line = 0;  ///< of the file
};

struct InfraDevice {
  std::string name;
  std::vector<InfraComponent> components;
  std::vector<InfraLink> links;
  std::vector<InfraEdge> edges;
};

struct InfraInstance {
  std::string name, device;
  std::uint32_t count = 1;
  std::int64_t line = 0;
};

struct Infrastructure {
  std::string file;  ///< for messages
  std::vector<InfraDevice> devices;
  std::vector<InfraLink> links;
  std::vector<InfraInstance> instances;
  std::vector<InfraEdge> edges;
};

/// Throws UserError with file and line for what is no YAML, for unknown words, and for numbers out
/// of range.
Infrastructure ParseInfragraph(const std::string& text, const std::string& file);

}  // namespace heddle

#endif  // HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_MODEL_H_
