// SPDX-License-Identifier: GPL-2.0-only
/// The kinds of files that heddle distinguishes by their beginning.
#pragma once

namespace heddle {

enum class FileKind {
  kUnknown,
  kTopology,
  kScaleUp,     ///< a network file of ASTRA-SIM 1.0 or 2
  kSystem,      ///< a system file of ASTRA-SIM 1.0 or 2
  kInfiniband,  ///< what ibnetdiscover prints
  kTables,      ///< forwarding tables of heddle topo route
  kDump,        ///< a subnet manager's dump of forwarding tables
  kDot,         ///< a network in Graphviz's DOT
  kWorkload,
  kTrace,
  kFlows,
  kFailures,
  kConfiguration,
  kProfile,
  kCalibration,  ///< of heddle calibrate
  kSweep,
  kResult,
  kPage,         ///< HTML
  kSpreadsheet,  ///< a spreadsheet's own format
  kWideText,     ///< UTF-16
  // Files of other programs (io/input/foreign_kind.h).
  kChakra,         ///< an execution trace, binary
  kChakraGzip,     ///< the same, compressed
  kChakraJson,     ///< an execution trace of Chakra or PyTorch, in JSON
  kKineto,         ///< a trace of PyTorch's profiler
  kTimeline,       ///< a trace in Chrome's format
  kGoal,           ///< LogGOPSim's and ATLAHS' text
  kGoalBinary,     ///< what txt2bin makes of it
  kHtsimFlows,     ///< a connection matrix, .cm or .tm
  kHtsimTopology,  ///< .topo
  kMsccl,          ///< an algorithm in MSCCL's XML
  kNcclTopology,   ///< NCCL_TOPO_FILE
  kNcclGraph,      ///< NCCL_GRAPH_FILE
  kNcclTests,      ///< what nccl-tests prints
  kLstopo,         ///< a machine in hwloc's XML
  kSlurmTopology,  ///< topology.conf
  kInfraGraph,
  kGzip,
  kZip,
};

}  // namespace heddle
