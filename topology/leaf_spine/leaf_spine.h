// SPDX-License-Identifier: GPL-2.0-only
/// The family of SimAI's fabrics, equal to those of SimAI's generator.
///
/// Node ids: GPUs, NVSwitches, leaf switches (SimAI's ASW), spine switches (PSW). Links: for every
/// GPU its NVSwitches, then its leaf or leaves; then every leaf to its spines, leaf by leaf.
#pragma once

#include <string>
#include <vector>

#include "topology/generate/family.h"
#include "topology/graph/graph.h"
#include "topology/leaf_spine/leaf_spine_template.h"

namespace heddle {

/// Returns the family whose fabrics are LeafSpineTemplates().
Family LeafSpineFamily();

/// Returns the templates in the order of the help.
const std::vector<LeafSpineTemplate>& LeafSpineTemplates();

/// Finds a template by name. Throws UserError if LeafSpineTemplates() has no such name.
const LeafSpineTemplate& FindTemplate(const std::string& name);

/// Makes the graph of a template. Throws UserError, naming SimAI's flag and the remedy, if the
/// options do not make a fabric.
Graph Generate(const std::string& template_name, const LeafSpineOptions& options);

/// Returns the bytes of the file written by SimAI's generator. Throws as Generate does.
std::string GenerateText(const std::string& template_name, const LeafSpineOptions& options);

/// Returns notes to the user about options without effect (-asn); often empty.
std::vector<std::string> TemplateNotes(const std::string& template_name,
                                       const LeafSpineOptions& options);

}  // namespace heddle
