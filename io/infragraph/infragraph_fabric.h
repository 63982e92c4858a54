// SPDX-License-Identifier: GPL-2.0-only
/// The fabric of an infrastructure of InfraGraph.
///
/// Boxes with GPUs are servers, and what GPUs reach in them other than over PCIe are NVLinks and
/// NVSwitches. Other boxes with two cables or more are switches, whose ports and ASICs are one node
/// that never blocks. A cable ends at the GPU that is nearest to its port inside the server; of
/// several that are equally near, at the one with the fewest. PCIe is not modelled. Switches whose
/// cables all end at GPUs themselves, not at their NICs, are NVSwitches of several servers, which
/// then are one.
#ifndef HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_FABRIC_H_
#define HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_FABRIC_H_

#include <string>
#include <vector>

#include "io/infragraph/infragraph_model.h"
#include "topology/graph/graph.h"

namespace heddle {

struct InfragraphFabric {
  Graph graph;
  std::string format;                 ///< "InfraGraph: 4 servers of 8 GPUs, 7 switches"
  std::vector<std::string> warnings;  ///< what was left out, and rates that are not in the file
};

/// GPUs in the order of the instances, then of the devices' components. Delays that the file does
/// not give are 500 ns, 25 ns of NVLinks; NVLinks without a rate share that of the GPU's type
/// (topology/graph/gpu_types.h). Throws UserError as ExpandInfragraph(), and for no GPUs, servers
/// of different sizes, GPUs without a port where others of their server have one, and cables whose
/// rate is not known.
InfragraphFabric MakeInfragraphFabric(const Infrastructure& all);

}  // namespace heddle

#endif  // HEDDLE_IO_INFRAGRAPH_INFRAGRAPH_FABRIC_H_
