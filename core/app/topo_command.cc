// SPDX-License-Identifier: GPL-2.0-only
/// `heddle topo`: generate a topology from a template, or show one that exists.
#include <cstdio>

#include "core/app/output_text.h"
#include "core/app/parse_arguments.h"
#include "topology/describe.h"
#include "topology/generator.h"
#include "topology/graphviz.h"
#include "topology/simai_topology.h"
#include "topology/template_flags.h"

namespace heddle {
namespace {

int Show(const std::vector<std::string>& arguments) {
  std::string file;
  std::string drawing;
  CLI::App app("Describe a topology for people.", "topo show");
  app.add_option("FILE", file, "topology file")->required();
  app.add_option("--dot", drawing, "write Graphviz to this file (\"-\": standard output), for up to 200 nodes");
  if (!ParseArguments(&app, arguments)) return 0;
  const Graph graph = ReadSimaiTopology(file);
  if (!drawing.empty()) {
    WriteText(drawing, GraphvizText(graph));
    if (drawing == "-") return 0;
  }
  WriteText("-", DescribeFabric(graph));
  return 0;
}

bool AsksForHelp(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") return true;
  }
  return arguments.empty();
}

}  // namespace

int TopoCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "show") return Show({arguments.begin() + 1, arguments.end()});
  if (AsksForHelp(arguments)) {
    std::printf("Usage: heddle topo TEMPLATE [FLAGS] [-o FILE]\n       heddle topo show FILE [--dot FILE]\n\n%s",
                TemplateFlagsHelp().c_str());
    return static_cast<int>(arguments.empty() ? ExitCode::kUsage : ExitCode::kDone);
  }
  const ParsedTemplate parsed = ParseTemplateFlags(arguments);
  const std::string text = GenerateText(parsed.template_name, parsed.options);
  for (const std::string& note : TemplateNotes(parsed.template_name, parsed.options)) {
    std::fprintf(stderr, "heddle: note: %s\n", note.c_str());
  }
  WriteText(parsed.output, text);
  return 0;
}

}  // namespace heddle
