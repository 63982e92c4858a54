// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/template_help.h"

#include <fmt/format.h>

#include <utility>

#include "core/app/views/inspect/template_flags.h"

namespace heddle {
namespace {

/// The word that names a fabric; empty if none does.
std::string NameIn(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-topo" || word == "--topology" || word == "--topo") continue;
    for (const char* flag : {"-topo=", "--topology="}) {
      if (word.rfind(flag, 0) == 0) return word.substr(std::string(flag).size());
    }
    // A word after a flag is its value, but after -topo.
    const bool is_value = i > 0 && words[i - 1][0] == '-' && words[i - 1].find("topo") > 2;
    if (!word.empty() && word[0] != '-' && !is_value) return word;
  }
  return "";
}

void AppendToggles(const Family& family, std::string* text) {
  std::string toggles;
  for (const FabricAliases::Toggle& toggle : family.aliases.toggles) {
    toggles += (toggles.empty() ? "--" : " --") + toggle.name;
  }
  for (const std::string& line : family.aliases.toggles_help) {
    *text += fmt::format("  {:<32} {}\n", std::exchange(toggles, ""), line);
  }
}

void AppendFlags(const FlagSet& flags, std::string* text) {
  for (const FlagSet::Flag& flag : flags.flags()) {
    std::string names = fmt::format("-{}, --{}", flag.about.brief, flag.about.name);
    if (!flag.about.also.empty()) names += ", --" + flag.about.also;
    *text += fmt::format("  {:<32} {} [{}]\n", names, flag.about.help, flag.Value());
  }
}

}  // namespace

std::string TemplateListHelp(const std::vector<Family>& families) {
  std::string text =
      "Fabrics (any case; hyphens may be left out or put in: fat-tree, spectrum-x):\n";
  for (const Family& family : families) {
    for (const NamedFabric& fabric : family.fabrics) {
      text += fmt::format("  {:<24} {}\n", fabric.name, fabric.summary);
    }
    for (const std::string& word : family.aliases.words) {
      text += fmt::format("  {:<24} {}\n", word, "SimAI's name; --dp or --dt chooses");
    }
  }
  text +=
      "\nFlags of every fabric:\n"
      "  --gpus N                 number of GPUs, from which sizes follow\n"
      "  --oversubscription R     R : 1 where the fabric narrows first, from which sizes follow\n"
      "  -gps N                   GPUs per server, with one NIC each and an NVSwitch\n"
      "  -gt TYPE, -bw RATE       GPU type; rate from a GPU to its switch\n"
      "  -o, --output FILE        where to write; --force replaces an existing file\n"
      "  FABRIC --help            the other flags of a fabric, with their defaults\n";
  return text;
}

std::string TemplateHelp(const std::vector<std::string>& words,
                         const std::vector<Family>& families) {
  const std::string name = NameIn(words);
  if (name.empty()) return "";
  ChosenFabric chosen = ChooseFabric(name, {}, families);
  FlagSet flags;
  chosen.maker->Declare(&flags);
  std::string summary = chosen.family->title;
  for (const NamedFabric& fabric : chosen.family->fabrics) {
    if (fabric.name == chosen.name) summary = fabric.summary;
  }
  std::string text = fmt::format("{}: {}\n\nFlags, with their defaults:\n", chosen.name, summary);
  AppendToggles(*chosen.family, &text);
  AppendFlags(flags, &text);
  text += "  -o, --output FILE                where to write\n";
  text += "  --force                          replace an existing file\n";
  return text;
}

}  // namespace heddle
