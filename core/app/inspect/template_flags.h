// SPDX-License-Identifier: GPL-2.0-only
/// The command line of SimAI's topology generator.
///
/// Flags may have one dash or two, and their value in the next word or after '='. A template is
/// named by -topo (SimAI's names Spectrum-X, AlibabaHPN, DCN+, or ours) or by the first word.
/// Without one,
/// --ro (rail-optimised), --dt (two leaves a GPU) and --dp (two planes) choose the wiring.
#ifndef HEDDLE_CORE_APP_INSPECT_TEMPLATE_FLAGS_H_
#define HEDDLE_CORE_APP_INSPECT_TEMPLATE_FLAGS_H_

#include <string>
#include <vector>

#include "topology/generate/generator.h"

namespace heddle {

/// What a command line asks for; ready for Generate.
struct ParsedTemplate {
  std::string template_name;  ///< one of Templates()
  TemplateOptions options;
  std::string output;  ///< -o FILE; empty if not given
  bool asw_switches_given =
      false;  ///< -asn; else TemplateNotes() would compare with a default that nobody chose
};

/// `args` without the program's name. Throws UsageError: an unknown flag (with the nearest known),
/// a missing or bad value, flags that name no wiring; UserError for an unknown template.
ParsedTemplate ParseTemplateFlags(const std::vector<std::string>& args);

/// A flag as completion offers it.
struct TemplateFlag {
  std::string brief, name;  ///< without dashes; either may be empty
  std::string help;
  bool has_value = true;
};

/// Every flag but -topo and -o, in the order of the help.
std::vector<TemplateFlag> TemplateFlags();

/// Every flag with its meaning, and a table of the defaults by template.
std::string TemplateFlagsHelp();

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_INSPECT_TEMPLATE_FLAGS_H_
