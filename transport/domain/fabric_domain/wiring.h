// SPDX-License-Identifier: GPL-2.0-only
/// Nodes and ports of a domain, as the graph has them: in its state, and in the parts that keep
/// something for each.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// Adds a node of the graph with its ports. Nodes come by ascending id, before the first event.
void AddNode(DomainState& state, NodeId id);
/// Port::flags, but for kDown, of a port of such a node.
std::uint8_t FixedFlags(const FabricContext& context, NodeId node, const PortExtras& extras,
                        bool scale_up);
/// Port::ps_per_byte.
std::uint32_t PsPerByte(const FabricContext& context, BitRate rate);
/// The link of a port has this rate from now on.
void SetRate(DomainState& state, std::uint32_t index, BitRate rate);

}  // namespace heddle
