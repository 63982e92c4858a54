// SPDX-License-Identifier: GPL-2.0-only
/// A template of a fabric: its parameters, and the plan of nodes and cables that it draws from
/// them.
#ifndef HEDDLE_TOPOLOGY_GENERATE_FABRIC_TEMPLATE_H_
#define HEDDLE_TOPOLOGY_GENERATE_FABRIC_TEMPLATE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Parameters of a template, with SimAI's defaults for a fabric without one. Rates, delays and the
/// error rate stay the text that was given, because they go into the file as they are.
struct TemplateOptions {
  std::uint32_t gpus = 32;
  std::uint32_t gpus_per_server = 8;
  std::string gpu_type = "H100";
  std::uint32_t nvswitches_per_server = 1;  ///< each is linked to every GPU of its server; may be 0
  std::string nvlink_bandwidth = "2880Gbps";
  std::string nvlink_latency = "0.000025ms";
  std::string bandwidth = "400Gbps";  ///< GPU to leaf; with two leaves a GPU, of each of the links
  std::string latency = "0.0005ms";   ///< of every link but NVLink
  std::string error_rate = "0";       ///< probability that a packet is lost on a link, in [0, 1)
  std::uint32_t asw_switches =
      8;  ///< leaves; follows from the rest, kept to compare (TemplateNotes)
  std::uint32_t nics_per_asw = 64;  ///< GPU ports of a leaf; sets the size of a segment
  std::uint32_t psw_switches = 64;  ///< spines, of both planes together
  std::string asw_psw_bandwidth = "400Gbps";
  std::uint32_t asws_per_psw = 64;  ///< leaf ports of a spine; bounds the number of segments
};

/// What a link is, and so which rate and delay it gets.
enum class CableKind : std::uint8_t { kNvLink, kNic, kFabric };

/// The plan of a fabric: counts and cables, before rates.
struct Wiring {
  struct Cable {
    std::uint32_t a, b;
    CableKind kind;
  };
  std::uint32_t gpus = 0, nvswitches = 0, asws = 0, psws = 0;
  std::vector<Cable> cables;
};

/// A way to wire a fabric.
struct Template {
  std::string name;
  std::string summary;
  TemplateOptions defaults;
  /// Switches by `options`; the counts have been checked (CheckOptions).
  Wiring (*build)(const TemplateOptions& options);
  std::uint32_t (*segments)(const TemplateOptions& options);
  std::uint32_t (*asws_per_segment)(const TemplateOptions& options);
  std::uint32_t planes = 1;         ///< spines are split into so many groups
  std::uint32_t leaves_of_gpu = 1;  ///< links of a GPU to leaves
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GENERATE_FABRIC_TEMPLATE_H_
