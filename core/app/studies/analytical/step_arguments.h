// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle analytical`: SimAI's, of both of its programs, under its names and ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/closed_form/step_time.h"
#include "core/app/base/cli/parse_arguments.h"

namespace heddle {

struct StepArguments {
  std::string workload;
  std::string topology;               ///< fabric whose links are the bandwidths; empty: by flags
  std::string placement = "packed";   ///< of ranks on the fabric
  std::vector<std::string> settings;  ///< KEY=VALUE, with a fabric
  std::uint32_t gpus = 0;             ///< 0: all_gpus of the workload
  std::uint32_t gpus_per_server = 8;
  std::uint32_t nics_per_server = 0;  ///< 0: as many as GPUs
  double nvlink = 0, nic = 0;         ///< bus bandwidths [GB/s]; 0: by type
  std::string gpu_type = "A100", nic_type = "cx7";
  OverlapShares overlaps;
  std::string bandwidths;  ///< a busbw.yaml, whose values replace computed ones
  std::string algorithm = "auto", schedule = "interleaved", calibration = "none";
  std::uint32_t chunks = 0;  ///< of the model on a stage; 0: those of vpp, as SimAI takes it
  std::uint32_t group = 0;   ///< micro-batches in a row on one chunk; 0: as many as stages
  std::vector<double> stage_weights;
  std::string result;  ///< prefix of outputs in the folder below ./results; empty: none
  std::string folder, language = "en";
  std::string output;  ///< result file (HDF5); empty: none
  /// Whether `calibration` is a file, not a table that is built in.
  bool calibration_file() const { return calibration != "none" && calibration != "simai-1.6"; }
  bool chart = false, simai_units = false, force = false, json = false;
};

/// Returns SimAI's command line with our long names: -g_p_s becomes --gpus-per-server, a number
/// after -v is left out.
std::vector<std::string> WithLongNames(const std::vector<std::string>& words);

/// Declares the flags under their long names, which write to `given`.
void AddArguments(CLI::App* app, StepArguments* given);

/// Throws UsageError for words that are no choice, and for flags that do not fit each other. `app`
/// has parsed them.
void CheckArguments(const CLI::App& app, const StepArguments& given);

}  // namespace heddle
