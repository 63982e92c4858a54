// SPDX-License-Identifier: GPL-2.0-only
/// The command line of `heddle topo`, compatible with SimAI's topology generator.
///
/// Flags may have one dash or two, and their value in the next word or after '='. -topo or the
/// first word names a fabric by a name or an alias of its family. Without such a word, the toggles
/// of the first family with unnamed fabrics choose. Families declare the flags, names and toggles
/// (topology/generate/family.h).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "topology/generate/family.h"
#include "topology/shapes/families.h"

namespace heddle {

/// A fabric that a name, an alias or toggles select.
struct ChosenFabric {
  const Family* family;
  std::string name;
  std::unique_ptr<FabricMaker> maker;
};

/// Capitals, '-' and '_' in `name` do not count. An empty name is that of SimAI's generator without
/// -topo. Throws UserError for an unknown name, UsageError for toggles that name no wiring.
ChosenFabric ChooseFabric(const std::string& name, const std::set<std::string>& toggles,
                          const std::vector<Family>& families = Families());

/// The parsed command line, settled and ready for maker->Plan(flags).
struct ParsedTemplate {
  std::string name;                    ///< of the fabric
  std::unique_ptr<FabricMaker> maker;  ///< holds the values given
  FlagSet flags;                       ///< bound to `maker`
  std::string output;                  ///< -o FILE; empty if not given
  bool force = false;                  ///< --force
};

/// `args` without the program's name. Throws UsageError for an unknown flag (with the nearest known
/// one), a missing or bad value, or flags that name no wiring or contradict each other; UserError
/// for an unknown template and for sizes that cannot be.
ParsedTemplate ParseTemplateFlags(const std::vector<std::string>& args,
                                  const std::vector<Family>& families = Families());

/// A flag, for completion scripts.
struct TemplateFlag {
  std::string brief, name;  ///< without dashes; either may be empty
  std::string help;
  bool has_value = true;
};

/// Returns every flag but -topo, -o and --force, in the order of the help.
std::vector<TemplateFlag> TemplateFlags(const std::vector<Family>& families = Families());

/// Returns every name and alias, aliases first.
std::vector<std::string> TemplateNames(const std::vector<Family>& families = Families());

}  // namespace heddle
