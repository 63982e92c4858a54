// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics from templates, the same as SimAI's generator draws them.
///
/// Node ids: GPUs, NVSwitches, leaf switches (ASW), spine switches (PSW). Links: for every GPU its
/// NVSwitches, then its leaf or leaves; then every leaf to its spines, leaf by leaf.
#ifndef HEDDLE_TOPOLOGY_GENERATE_GENERATOR_H_
#define HEDDLE_TOPOLOGY_GENERATE_GENERATOR_H_

#include <string>
#include <vector>

#include "topology/generate/fabric_template.h"
#include "topology/graph/graph.h"

namespace heddle {

const std::vector<Template>& Templates();

/// Throws UserError with the nearest known name.
const Template& FindTemplate(const std::string& name);

/// Throws UserError for options that do not make a fabric, naming SimAI's flag and the remedy.
Graph Generate(const std::string& template_name, const TemplateOptions& options);

/// The bytes of the file that SimAI's generator writes. Throws as Generate does.
std::string GenerateText(const std::string& template_name, const TemplateOptions& options);

/// What the user may want to know of options that have no effect as given (-asn); often empty.
std::vector<std::string> TemplateNotes(const std::string& template_name,
                                       const TemplateOptions& options);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GENERATE_GENERATOR_H_
