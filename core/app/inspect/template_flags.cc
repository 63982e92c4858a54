// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/inspect/template_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>

#include "core/base/check.h"
#include "core/base/nearest_name.h"

namespace heddle {
namespace {

/// A flag that sets a field: exactly one of the members is given.
struct ValueFlag {
  const char* brief;
  const char* name;
  const char* help;
  std::uint32_t TemplateOptions::*number;
  std::string TemplateOptions::*text;
};

constexpr ValueFlag kValueFlags[] = {
    {"g", "gpu", "number of GPUs", &TemplateOptions::gpus, nullptr},
    {"er", "error_rate", "packet loss probability of a link", nullptr,
     &TemplateOptions::error_rate},
    {"gps", "gpu_per_server", "GPUs per server", &TemplateOptions::gpus_per_server, nullptr},
    {"gt", "gpu_type", "GPU type", nullptr, &TemplateOptions::gpu_type},
    {"nsps", "nv_switch_per_server", "NVSwitches per server",
     &TemplateOptions::nvswitches_per_server, nullptr},
    {"nvbw", "nvlink_bw", "rate GPU-NVSwitch", nullptr, &TemplateOptions::nvlink_bandwidth},
    {"nl", "nv_latency", "delay GPU-NVSwitch", nullptr, &TemplateOptions::nvlink_latency},
    {"l", "latency", "delay of the other links", nullptr, &TemplateOptions::latency},
    {"bw", "bandwidth", "rate GPU-leaf, each link", nullptr, &TemplateOptions::bandwidth},
    {"asn", "asw_switch_num", "leaf switches (advisory)", &TemplateOptions::asw_switches, nullptr},
    {"npa", "nics_per_aswitch", "GPU ports of a leaf", &TemplateOptions::nics_per_asw, nullptr},
    {"psn", "psw_switch_num", "spine switches", &TemplateOptions::psw_switches, nullptr},
    {"apbw", "ap_bandwidth", "rate leaf-spine", nullptr, &TemplateOptions::asw_psw_bandwidth},
    {"app", "asw_per_psw", "leaf ports of a spine", &TemplateOptions::asws_per_psw, nullptr},
};

/// The words of a command line, sorted by what they are.
struct Given {
  std::string topology;
  std::string output;
  bool rail_optimized = false, dual_tor = false, dual_plane = false;
  std::unordered_map<const ValueFlag*, std::string> values;
};

const ValueFlag* FindFlag(const std::string& name) {
  for (const ValueFlag& flag : kValueFlags) {
    if (name == flag.brief || name == flag.name) {
      return &flag;
    }
  }
  return nullptr;
}

[[noreturn]] void RefuseFlag(const std::string& word) {
  std::vector<std::string> known = {"topo", "topology", "ro", "dt", "dp", "o", "output"};
  for (const ValueFlag& flag : kValueFlags) {
    known.insert(known.end(), {flag.brief, flag.name});
  }
  const std::string nearest = Nearest(word, known);
  throw UsageError(fmt::format("unknown flag {}. Expected: a flag of the generator (nearest: {}{})",
                               Printable(word), nearest.size() > 4 ? "--" : "-", nearest));
}

class ArgumentReader {
 public:
  explicit ArgumentReader(const std::vector<std::string>& args) : args_(args) {}

  Given Read() {
    for (; next_ < args_.size(); ++next_) {
      const std::string& word = args_[next_];
      if (word.size() < 2 || word[0] != '-') {
        TakeName(word);
      } else {
        TakeFlag(word.substr(word[1] == '-' ? 2 : 1));
      }
    }
    return std::move(given_);
  }

 private:
  void TakeName(const std::string& word) {
    if (!given_.topology.empty()) {
      throw UsageError(fmt::format("found \"{}\" after template {}. Expected: a flag",
                                   Printable(word), Printable(given_.topology)));
    }
    given_.topology = word;
  }

  void TakeFlag(std::string name) {
    std::optional<std::string> value;
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (bool* toggle = FindSwitch(name)) {
      if (value) {
        throw UsageError("--" + name + " takes no value");
      }
      *toggle = true;
    } else if (name == "topo" || name == "topology") {
      TakeName(Value(name, value));
    } else if (name == "o" || name == "output") {
      given_.output = Value(name, value);
    } else if (const ValueFlag* flag = FindFlag(name)) {
      given_.values[flag] = Value(name, value);
    } else {
      RefuseFlag(name);
    }
  }

  bool* FindSwitch(const std::string& name) {
    return name == "ro"   ? &given_.rail_optimized
           : name == "dt" ? &given_.dual_tor
           : name == "dp" ? &given_.dual_plane
                          : nullptr;
  }

  std::string Value(const std::string& name, const std::optional<std::string>& given) {
    const bool in_next = !given && next_ + 1 < args_.size() && args_[next_ + 1].rfind("--", 0) != 0;
    const std::string value = given ? *given : in_next ? args_[++next_] : std::string();
    if (value.empty()) {
      throw UsageError(fmt::format("flag -{} has no value. Expected: one in the next word", name));
    }
    return value;
  }

  const std::vector<std::string>& args_;
  std::size_t next_ = 0;
  Given given_;
};

/// The wiring that --ro, --dt and --dp stand for, or null.
const char* WiringByFlags(const Given& given) {
  if (given.dual_plane) {
    return given.rail_optimized && given.dual_tor ? "AlibabaHPN-DualPlane" : nullptr;
  }
  if (given.rail_optimized) {
    return given.dual_tor ? "AlibabaHPN-SinglePlane" : "Spectrum-X";
  }
  return given.dual_tor ? "DCN-DualToR" : "DCN-SingleToR";
}

std::string TemplateName(const Given& given) {
  if (given.topology == "AlibabaHPN") {
    return given.dual_plane ? "AlibabaHPN-DualPlane" : "AlibabaHPN-SinglePlane";
  }
  if (given.topology == "DCN+") {
    return given.dual_tor ? "DCN-DualToR" : "DCN-SingleToR";
  }
  if (!given.topology.empty()) {
    return FindTemplate(given.topology).name;
  }
  const char* name = WiringByFlags(given);
  if (name == nullptr) {
    throw UsageError("--dp without --ro and --dt names no wiring. Expected: --ro --dt --dp");
  }
  return name;
}

std::uint32_t ParseCount(const std::string& name, const std::string& text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw UsageError(fmt::format("-{} \"{}\". Expected: a whole number", name, Printable(text)));
  }
  return value;
}

}  // namespace

ParsedTemplate ParseTemplateFlags(const std::vector<std::string>& args) {
  const Given given = ArgumentReader(args).Read();
  ParsedTemplate parsed;
  parsed.template_name = TemplateName(given);
  parsed.output = given.output;
  if (!given.topology.empty()) {
    parsed.options = FindTemplate(parsed.template_name).defaults;
  }
  for (const auto& [flag, text] : given.values) {
    if (flag->number != nullptr) {
      parsed.options.*flag->number = ParseCount(flag->brief, text);
      parsed.asw_switches_given |= flag->number == &TemplateOptions::asw_switches;
    } else {
      parsed.options.*flag->text = text;
    }
  }
  return parsed;
}

std::vector<TemplateFlag> TemplateFlags() {
  std::vector<TemplateFlag> flags = {{"", "ro", "rails", false},
                                     {"", "dt", "two leaves a GPU", false},
                                     {"", "dp", "two planes", false}};
  for (const ValueFlag& flag : kValueFlags) flags.push_back({flag.brief, flag.name, flag.help});
  return flags;
}

std::string TemplateFlagsHelp() {
  std::string text =
      "  -topo, --topology NAME       template (or the first word); SimAI's AlibabaHPN and DCN+ "
      "too\n"
      "  --ro --dt --dp               without a template: rails, two leaves a GPU, two planes;\n"
      "                               --dp picks AlibabaHPN's two planes, --dt DCN+'s two leaves\n"
      "  -o, --output FILE            where to write\n";
  for (const ValueFlag& flag : kValueFlags) {
    text +=
        fmt::format("  {:<28} {}\n", fmt::format("-{}, --{}", flag.brief, flag.name), flag.help);
  }
  const TemplateOptions base;
  text += fmt::format("\nTemplates:\n  {:<24} without -topo; --ro, --dt, --dp choose\n", "(none)");
  for (const Template& t : Templates()) {
    text += fmt::format("  {:<24} {}\n", t.name, t.summary);
  }
  text += "\nDefaults:\n";
  const auto value = [](const TemplateOptions& o, const ValueFlag& flag) {
    return flag.number != nullptr ? std::to_string(o.*flag.number) : o.*flag.text;
  };
  for (const ValueFlag& flag : kValueFlags) {
    text += fmt::format("  -{:<5} (none) {}", flag.brief, value(base, flag));
    for (const Template& t : Templates()) {
      text += fmt::format(", {} {}", t.name, value(t.defaults, flag));
    }
    text += '\n';
  }
  return text;
}

}  // namespace heddle
