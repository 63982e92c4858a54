// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's description of one server (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE): its GPUs, NVLinks and
/// NICs.
///
/// Source: NCCL 2.27, its files xml and topo of src/graph: the form, and what an NVLink
/// carries. Elements: system, cpu, pci (busid, class), gpu (dev, sm), nvlink (target, count,
/// tclass), nic, net (name, speed [Mbit/s]). Other elements and attributes are skipped.
/// Not read: PCIe, which is not modelled; distances of NICs; C2C and AMD's XGMI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

/// NVLinks of a GPU to one NVSwitch or GPU.
struct NcclNvLink {
  std::string target;       ///< bus id
  std::uint32_t count = 1;  ///< 1 to 64
  bool to_gpu = false;
};

struct NcclGpu {
  std::uint32_t device = 0;  ///< NCCL's dev
  std::string bus;
  std::uint32_t sm = 0;  ///< compute capability: 90 for Hopper
  std::vector<NcclNvLink> nvlinks;
};

struct NcclTopology {
  std::vector<NcclGpu> gpus;           ///< by device
  std::vector<std::int64_t> nic_mbps;  ///< of each NIC
  std::vector<std::string> warnings;
};

/// Throws UserError with `file` and the element that is wrong.
NcclTopology ParseNcclTopology(const std::string& text, const std::string& file);

/// Makes the fabric of the server: GPUs in the order of their devices, then NVSwitches by bus id.
/// All NVLinks of a pair are one link. Throws UserError for GPUs without NVLinks, of a compute
/// capability whose NVLinks are not known, or whose links disagree.
Graph MakeNcclGraph(const NcclTopology& topology, const std::string& file);

}  // namespace heddle
