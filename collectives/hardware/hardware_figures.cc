// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/hardware/hardware_figures.h"

namespace heddle {
namespace {

constexpr const char* kFromTuner = "NCCL, src/graph/tuning.cc";

// clang-format off
constexpr std::array<FigureRow, kFigures> kRows = {{
    // By generation: Ampere, Hopper, Blackwell.
    {"gpu.base_ll", "us", "start of a ring or tree with LL", 0.001, 1e6, {6.6, 6.6, 6.6}, kFromTuner},
    {"gpu.base_ll128", "us", "start of a ring or tree with LL128", 0.001, 1e6, {14, 14, 14}, kFromTuner},
    {"gpu.base_simple", "us", "start of a ring or tree with Simple", 0.001, 1e6, {8.4, 8.4, 8.4}, kFromTuner},
    {"gpu.base_direct", "us", "start of AllToAll, of send and receive", 0.001, 1e6, {9.5, 9.5, 9.5},
     "vultr_b200_1x8_alltoall, vultr_b200_2x8_sendrecv"},
    {"gpu.base_nvls", "us", "start of NVLS, besides gpu.nvls_head", 0.001, 1e6, {1, 1, 1}, "dgx_h100_1x8_allreduce, vultr_b200_1x8_allreduce"},
    {"gpu.nvlink_ll", "us", "a message in a server with LL", 0.001, 1e6, {0.85, 0.32, 1.1},
     "a100_1x8_allreduce_mpi; dgx_h100_1x8_allreduce; vultr_b200_1x8_allreduce, vultr_b200_1x8_reducescatter"},
    {"gpu.nvlink_ll128", "us", "a message in a server with LL128", 0.001, 1e6, {2.4, 1.9, 1.9},
     "a100_1x8_allreduce_mpi; hgx_h100_ib_2x8_allreduce; vultr_b200_1x8_reducescatter"},
    {"gpu.nvlink_simple", "us", "a message in a server with Simple", 0.001, 1e6, {5.8, 3.4, 6.6},
     "a100_1x8_allreduce_mpi; NCCL, src/graph/tuning.cc; vultr_b200_1x8_reducescatter"},
    {"gpu.nvlink_doubling_ll", "us", "a message in a server with LL, for each doubling of the buffer from 16 B to 64 KiB", 0, 1e6, {0.06, 0.04, 0.035},
     "a100_1x8_allreduce_mpi; dgx_h100_1x8_allreduce; vultr_b200_1x8_reducescatter"},
    {"gpu.rate_ll", "GB/s", "data that a GPU sends with LL, all channels", 0.001, 1e6, {125, 225, 225},
     "a100_1x8_allreduce_mpi; dgx_h100_1x8_allreduce; vultr_b200_1x8_reducescatter"},
    {"gpu.rate_ll128", "GB/s", "data that a GPU sends with LL128, all channels", 0.001, 1e6, {180, 340, 520},
     "a100_1x8_allreduce_mpi; NCCL, src/graph/tuning.cc; vultr_b200_1x8_reducescatter"},
    {"gpu.rate_simple", "GB/s", "data that a GPU sends with Simple, all channels", 0.001, 1e6, {232, 369, 690},
     "a100_1x8_allreduce_mpi; hgx_h100_ib_2x8_allreduce; vultr_b200_1x8_reducescatter"},
    {"gpu.rate_direct", "GB/s", "data that a GPU sends in AllToAll, all peers of its server", 0.001, 1e6, {220, 350, 630},
     "vultr_b200_1x8_alltoall, gb300_1x4_alltoall; others in proportion to gpu.rate_simple"},
    {"gpu.tree_rate_ll", "GB/s", "bytes of the buffer that trees with LL pass, all channels", 0.001, 1e6, {29, 43, 95},
     "NCCL, src/graph/tuning.cc"},
    {"gpu.tree_rate_ll128", "GB/s", "bytes of the buffer that trees with LL128 pass, all channels", 0.001, 1e6, {80, 125, 190},
     "azure_a100_2x8_allreduce; hgx_h100_ib_2x8_allreduce, hgx_h100_ib_4x8_allreduce; Blackwell in proportion"},
    {"gpu.tree_rate_simple", "GB/s", "bytes of the buffer that trees with Simple pass, all channels", 0.001, 1e6, {90, 140, 220},
     "NCCL, src/graph/tuning.cc"},
    {"gpu.tree_doubling_ll", "us", "a message of a tree between servers with LL, for each doubling of the buffer from 512 B on", 0, 1e6, {1.1, 0.3, 0.3},
     "azure_a100_2x8_allreduce; hgx_h100_ib_2x8_allreduce, hgx_h100_ib_4x8_allreduce, dell_h200_2x8_allreduce; Blackwell as Hopper"},
    {"gpu.peer_simple", "us", "each further GPU of its server to which a GPU sends at once with Simple", 0, 1e6, {1.5, 1.5, 1.5},
     "vultr_b200_1x8_alltoall"},
    {"gpu.nvls_head", "us", "start of NVLS for each GPU that the NVSwitches join", 0, 1e6, {1.2, 1.2, 1.2},
     "dgx_h100_1x8_allreduce; oci_gb200_2x64_allreduce, coreweave_gb200_1x72_allreduce"},
    {"gpu.nvls_piece", "us", "a piece of NVLS, besides its bytes", 0.001, 1e6, {5, 4.8, 11},
     "dgx_h100_1x8_allreduce; vultr_b200_1x8_allreduce"},
    {"gpu.nvls_channel_rate", "GB/s", "bytes that a channel of NVLS adds", 0.001, 1e6, {2.6, 2.6, 2.2},
     "dgx_h100_1x8_allreduce; vultr_b200_1x8_allreduce"},
    {"gpu.nvls_tree_rate", "GB/s", "bytes that a channel of NVLS-Tree adds", 0.001, 1e6, {2.35, 2.35, 2.0},
     "hgx_h100_ib_2x8_allreduce; Blackwell in proportion"},
    {"gpu.nvls_rate", "GB/s", "bytes of the buffer that NVLS passes, at most", 0.001, 1e6, {300, 300, 470},
     "dgx_h100_1x8_allreduce; vultr_b200_1x8_allreduce, gb300_1x8_allreduce, coreweave_gb200_1x72_allreduce"},
    // By kind of NIC: ib, roce, efa, tcpxo, spectrum-x.
    {"nic.net_ll", "us", "a message between servers with LL, of rings and direct", 0.001, 1e6, {2, 5, 20, 105, 4}, 
     "vultr_b200_2x8_allgather; gke_b200_2x8_allgather; aws_p5_2x8_allreduce; gcp_a3mega_2x8_allgather; spectrum-x: between ib and roce"},
    {"nic.net_ll128", "us", "a message between servers with LL128, of rings and direct", 0.001, 1e6, {15, 17, 30, 120, 16}, 
     "vultr_b200_2x8_allgather; gke_b200_2x8_allgather; efa, tcpxo in proportion; spectrum-x: between ib and roce"},
    {"nic.net_simple", "us", "a message between servers with Simple, of rings and direct", 0.001, 1e6, {14, 17, 70, 200, 16}, 
     "NCCL, src/graph/tuning.cc; vultr_b200_2x8_allgather; gcp_a3mega_2x8_allgather; others in proportion"},
    {"nic.tree_ll", "us", "a message between servers with LL, of trees", 0.001, 1e6, {3.5, 10.3, 26, 107, 7}, 
     "hgx_h100_ib_2x8_allreduce, hgx_h100_ib_4x8_allreduce; dell_h200_2x8_allreduce; aws_p5_2x8_allreduce; others in proportion"},
    {"nic.tree_ll128", "us", "a message between servers with LL128, of trees", 0.001, 1e6, {9.5, 12, 34, 110, 11}, 
     "hgx_h100_ib_2x8_allreduce; dell_h200_2x8_allreduce; aws_p5_2x8_allreduce; others in proportion"},
    {"nic.tree_simple", "us", "a message between servers with Simple, of trees", 0.001, 1e6, {14, 20, 70, 200, 18}, 
     "NCCL, src/graph/tuning.cc; others in proportion"},
    {"nic.line_ll", "us", "a KiB of data of a message between servers with LL, whose lines a proxy polls", 0, 1e6, {0.05, 2.2, 6, 6, 1}, 
     "hgx_h100_ib_2x8_allreduce, azure_a100_2x8_allreduce; dell_h200_2x8_allreduce, gke_b200_2x8_allgather; aws_p5_2x8_allreduce; gcp_a3mega_2x8_allgather"},
    {"nic.peer_ll", "us", "each further GPU of another server to which a GPU sends at once with LL", 0, 1e6, {2.5, 2.5, 4, 6, 2.5}, "vultr_b200_2x8_alltoall, rtx6000d_2x8_alltoall_nop2p"},
    {"nic.peer_simple", "us", "each further GPU of another server to which a GPU sends at once with Simple", 0, 1e6, {5.5, 5.5, 8, 12, 5.5}, "rtx6000d_2x8_alltoall_nop2p"},
    {"nic.share", "", "part of the line rate that is reached", 0.01, 1, {0.945, 0.94, 0.95, 0.95, 0.94}, "azure_a100_2x8_allreduce; gke_b200_2x8_allgather"},
    {"nic.relayed_rate", "GB/s", "what a GPU's NICs send of AllToAll, of send and receive that come by NVLink from another GPU (PXN)", 0.001, 1e6, {23, 23, 23, 20, 23},
     "vultr_b200_2x8_alltoall, gb300_2x64_alltoall, vultr_b200_2x8_sendrecv"},
}};
// clang-format on

}  // namespace

const std::array<FigureRow, kFigures>& FigureRows() { return kRows; }

HardwareFigures FiguresOf(GpuGeneration generation, NicKind kind) {
  HardwareFigures figures;
  for (std::size_t i = 0; i < kFigures; ++i) {
    const auto column =
        i < kGpuFigures ? static_cast<std::size_t>(generation) : static_cast<std::size_t>(kind);
    figures.values[i] = kRows[i].values[column];
  }
  return figures;
}

}  // namespace heddle
