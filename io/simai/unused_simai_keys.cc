// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/unused_simai_keys.h"

namespace heddle {

void DeclareUnusedSimaiKeys(OptionSet* options) {
  const std::string no_output = "results go to one HDF5 file; heddle export writes SimAI's texts";
  const std::string no_monitor = "SimAI 1.6 never starts its monitors, so it writes no such file";
  const UnusedKey keys[] = {
      {"FCT_OUTPUT_FILE", no_output},
      {"PFC_OUTPUT_FILE", no_output},
      {"QLEN_MON_FILE", no_monitor},
      {"BW_MON_FILE", no_monitor},
      {"RATE_MON_FILE", no_monitor},
      {"CNP_MON_FILE", no_monitor},
      {"MON_END", "SimAI reads it and never uses it"},
      {"ENABLE_TRACE", "SimAI's binary packet trace is not written here"},
      {"TRACE_FILE", "lists the nodes of SimAI's binary packet trace, which is not written here"},
      {"TRACE_OUTPUT_FILE", "names SimAI's binary packet trace, which is not written here"},
      {"FLOW_FILE", "SimAI reads only its first number; name a flow file on the command line"},
      {"SIMULATOR_STOP_TIME",
       "SimAI sets it after the run has ended; here a run ends when all "
       "work is done"},
      {"USE_DYNAMIC_PFC_THRESHOLD", "SimAI stores it and always uses dynamic thresholds"},
      {"NIC_TOTAL_PAUSE_TIME", "SimAI stores it and never uses it"},
      {"GLOBAL_T", "SimAI overwrites it with 1: the largest window and round trip for all flows"},
      {"DATA_RATE", "SimAI ignores it; the topology file has the rate of every link"},
      {"LINK_DELAY", "SimAI ignores it; the topology file has the delay of every link"},
  };
  for (const UnusedKey& key : keys) options->AddUnused(key);
}

}  // namespace heddle
