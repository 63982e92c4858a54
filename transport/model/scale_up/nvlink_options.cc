// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/scale_up/nvlink_options.h"

#include "core/options/options.h"
#include "transport/model/scale_up/nvlink_presets.h"

namespace heddle {
namespace {

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const NvLinkPreset& preset : NvLinkPresets()) names.push_back(preset.name);
  return names;
}

/// What the user has set stays.
void Apply(const std::string& name, OptionSet* options) {
  for (const NvLinkPreset& preset : NvLinkPresets()) {
    if (preset.name != name) continue;
    options->Preset("nvlink.packet", std::to_string(preset.packet_bytes));
    options->Preset("nvlink.header", std::to_string(preset.header_bytes));
    options->Preset("nvlink.flit", std::to_string(preset.flit_bytes));
    options->Preset("nvlink.buffer", std::to_string(preset.buffer_flits));
  }
}

}  // namespace

ScaleUpLevel NvLinkOptions::Level() const {
  ScaleUpLevel level;
  level.name = "NVLink";
  level.packet_bytes = packet_bytes;
  level.header_bytes = header_bytes;
  level.padded = false;
  level.flit_bytes = flit_bytes;
  level.buffer_flits = buffer_flits;
  level.virtual_channels = static_cast<std::uint32_t>(virtual_channels);
  level.credit_delay = credit_delay;
  level.turns = true;
  return level;
}

void NvLinkOptions::Declare(OptionSet* options) {
  const std::string paper = "Foley, Danskin, IEEE Micro 2017";
  options->AddGroup({"nvlink", "NVLinks between GPUs and NVSwitches", "docs/models/scale-up.md"});
  options->Add(
      {"nvlink.spray", "",
       "a GPU spreads each message over all NVSwitches of its server or rack, which so act "
       "as one; false: a flow takes one of them",
       "", "GB200 NVL72: 18 NVSwitches, one link to each"},
      &spray);
  options->Add({"nvlink.lossless", "",
                "NVSwitches hold all that waits for a link, as NVLinks have credits; false: they "
                "drop what exceeds switch.buffer",
                "", "heddle"},
               &lossless);
  options->Add({"nvlink.train", "",
                "packets, up to 64 KiB, that are sent, received and acknowledged as one where an "
                "NVSwitch is the source or the destination (NVLS)",
                "", "heddle"},
               &train, 1, 64);
  options->Add(
      {"nvlink.layer", "",
       "packets: packets as on Ethernet, without PFC; credits: packets of flits under credits, "
       "without acknowledgements and congestion control",
       "", "heddle"},
      &layer);
  options->Add(
      {"nvlink.preset", "",
       "packet, header, flit and buffer of links under credits, but for those that are set "
       "by themselves",
       "", "heddle"},
      &preset, PresetNames());
  options->WhenSet("nvlink.preset", [this, options] { Apply(preset, options); });
  options->Add({"nvlink.packet", "", "payload of a packet under credits", "byte", paper},
               &packet_bytes, 1, 1 << 19);
  options->Add({"nvlink.header", "", "of each packet under credits", "byte", paper}, &header_bytes,
               0, 1 << 18);
  options->Add({"nvlink.flit", "", "that credits count", "byte", paper}, &flit_bytes, 1, 1 << 20);
  options->Add({"nvlink.buffer", "", "flits that a virtual channel's far end holds; 0: no limit",
                "flit", "heddle"},
               &buffer_flits, 0, 1 << 30);
  options->Add({"nvlink.channels", "", "virtual channels of a link", "", "heddle"},
               &virtual_channels, 1, 255);
  options->Add(
      {"nvlink.credit_delay", "", "of a credit's return, besides the link's delay", "ns", "heddle"},
      &credit_delay, Time(), MicroSeconds(1000), "ns");
}

}  // namespace heddle
