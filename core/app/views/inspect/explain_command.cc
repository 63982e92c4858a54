// SPDX-License-Identifier: GPL-2.0-only
/// `heddle explain`: the page of an option, from the record that its model declares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/hardware/hardware_options.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/setup/like.h"
#include "core/base/printable.h"
#include "core/options/nearest_name.h"
#include "core/options/options.h"

namespace heddle {
namespace {

std::string Line(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<12} {}\n", name, text);
}

const OptionGroup* GroupOf(const OptionSet& options, const std::string& prefix) {
  for (const OptionGroup& group : options.groups()) {
    if (EqualLetters(group.prefix, prefix)) return &group;
  }
  return nullptr;
}

/// Whether a text mentions the option by any of its names.
bool Mentions(const std::string& text, const Option& option) {
  const auto holds = [&](const std::string& name) {
    return !name.empty() && text.find(name) != std::string::npos;
  };
  return holds(option.key) || holds(option.simai_key);
}

/// Keys whose pages mention each other, then other keys of the same group.
std::string Related(const OptionSet& options, const Option& option) {
  std::vector<std::string> keys;
  const std::string prefix = PrefixOf(option.key);
  for (const bool by_text : {true, false}) {
    for (const Option& other : options.options()) {
      const bool wanted = by_text ? Mentions(option.help + option.source, other) ||
                                        Mentions(other.help + other.source, option)
                                  : PrefixOf(other.key) == prefix;
      const bool known =
          other.key == option.key || std::find(keys.begin(), keys.end(), other.key) != keys.end();
      if (wanted && !known) keys.push_back(other.key);
    }
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::string Page(const OptionSet& options, const Option& option) {
  const OptionGroup* group = GroupOf(options, PrefixOf(option.key));
  std::string text = fmt::format("{}: {}\n\n", option.key, option.help);
  text += Line("SimAI.conf", option.simai_key);
  text += Line("environment", fmt::format("{}", fmt::join(option.variables, ", ")));
  text += Line("unit", option.unit);
  text += Line("range", option.range);
  text += Line("default", option.default_text.empty() ? "empty" : option.default_text);
  text += Line("from", option.source);
  if (group != nullptr) text += Line("model", fmt::format("{} ({})", group->page, group->title));
  text += Line("set by", fmt::format("heddle run --set {}=VALUE", option.key));
  text += Line("related", Related(options, option));
  return option.key == kLikeKey ? text + "\n" + ExplainLike() : text;
}

std::string GroupPage(const OptionSet& options, const OptionGroup& group) {
  std::string text = fmt::format("{}: {} ({})\n\n", group.prefix, group.title, group.page);
  for (const Option& option : options.options()) {
    if (PrefixOf(option.key) == group.prefix)
      text += fmt::format("  {:<30} {}\n", option.key, option.help);
  }
  return text;
}

std::string AllGroups(const OptionSet& options) {
  std::string text =
      "Groups of keys (heddle explain GROUP lists a group, heddle explain KEY one key):\n\n";
  for (const OptionGroup& group : options.groups())
    text += fmt::format("  {:<12} {}\n", group.prefix, group.title);
  return text + fmt::format("\nKeys of SimAI that are read and not used: {}.\n",
                            options.unused_keys().size());
}

[[noreturn]] void FailUnknown(const OptionSet& options, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionGroup& group : options.groups()) known.push_back(group.prefix);
  for (const Option& option : options.options()) {
    known.push_back(option.key);
    if (!option.simai_key.empty()) known.push_back(option.simai_key);
    for (const std::string& variable : option.variables) {
      if (std::find(known.begin(), known.end(), variable) == known.end()) known.push_back(variable);
    }
  }
  for (const UnusedKey& key : options.unused_keys()) known.push_back(key.simai_key);
  constexpr std::size_t kMost = 4;
  const std::vector<std::string> meant = NearMisses(name, known, kMost);
  const std::string hint =
      meant.empty() ? "" : fmt::format(" Did you mean {}?", fmt::join(meant, ", "));
  throw UserError(
      fmt::format("unknown key '{}'.{} Expected: a key of heddle options", Printable(name), hint));
}

std::string Explain(const OptionSet& options, const std::string& name) {
  std::string text;
  for (const Option* option : options.FindByName(name))
    text += (text.empty() ? "" : "\n") + Page(options, *option);
  if (!text.empty()) return text;
  for (const UnusedKey& key : options.unused_keys()) {
    if (EqualLetters(key.simai_key, name))
      return fmt::format("{}: a key of SimAI's that is read and not used: {}\n", key.simai_key,
                         key.reason);
  }
  if (const OptionGroup* group = GroupOf(options, name)) return GroupPage(options, *group);
  FailUnknown(options, name);
}

/// What of the table of hardware holds for a fabric, a line a figure.
std::string HardwarePage(const std::string& path, const std::vector<std::string>& settings) {
  AllOptions all;
  all.options.SetAll(settings);
  const FabricInput fabric = ReadFabric(path, {});
  FitToHardware(HardwareOf(*fabric.graph, fabric.infiniband), &all.options, &all.collectives);
  const HardwareOptions& hardware = all.collectives.hardware;
  std::string text = fmt::format("\n  Hardware of {}: {}\n", Printable(path), hardware.Describe());
  for (std::size_t i = 0; i < kFigures; ++i) {
    const FigureRow& row = FigureRows()[i];
    text += fmt::format("  {:<24} {:>7g} {:<5} {}\n      {}\n", row.key,
                        hardware.figures().values[i], row.unit, row.help,
                        hardware.IsGiven(static_cast<Figure>(i)) ? "given" : row.source);
  }
  return text;
}

}  // namespace

int ExplainCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> names, settings;
  std::string topology;
  CLI::App app(
      "Say what a key of --set or SimAI.conf means: its names, range, default, and the model that "
      "it is of.",
      "explain");
  app.add_option(
      "KEY", names,
      "own key, SimAI's, an environment variable, or a group such as dcqcn; without: all groups");
  app.add_option("-n,--topology", topology,
                 "of KEY like: what the hardware of this fabric is taken to need")
      ->type_name("FILE");
  app.add_option("--set", settings, "KEY=VALUE, as in heddle run")->type_name("KEY=VALUE");
  app.footer(Examples({"heddle explain CC_MODE", "heddle explain dcqcn", "heddle explain NCCL_ALGO",
                       "heddle explain like -n fabric.txt --set nic.kind=ib"}));
  if (!ParseArguments(&app, arguments)) return 0;
  const AllOptions all;
  std::string text = names.empty() ? AllGroups(all.options) : "";
  for (const std::string& name : names)
    text += (text.empty() ? "" : "\n") + Explain(all.options, name);
  if (!topology.empty()) text += HardwarePage(topology, settings);
  WriteText("-", text);
  return 0;
}

}  // namespace heddle
