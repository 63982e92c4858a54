// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/topology_names.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/graph/node_names.h"

namespace heddle {
namespace {

constexpr const char* kWord = "names";

}  // namespace

void ReadNodeNames(TokenReader* reader, Graph* graph) {
  const std::string_view word = reader->Next();
  if (word.empty()) return;
  if (word != kWord) {
    reader->Fail("found " + Quote(word) + " after the last link",
                 fmt::format("the end of the file after {} links, as the first line says, or the "
                             "word names",
                             graph->links().size()));
  }
  const NodeNames made(*graph);
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node < graph->node_count(); ++node)
    names.push_back(made.Of(NodeId(node)));
  std::vector<bool> named(names.size(), false);
  while (reader->WordsOnNextLine() > 0) {
    const auto id = static_cast<std::size_t>(
        reader->RequireNumber("the id of a node with a name", 0, names.size() - 1));
    if (named[id]) reader->Fail(fmt::format("node {} is named twice", id), "one name a node");
    named[id] = true;
    names[id] = std::string(reader->Require("the name of a node, one word"));
  }
  try {
    graph->SetNames(std::move(names));
  } catch (const UserError& error) {
    throw UserError(reader->where().file + ": " + error.what());
  }
}

std::string NodeNamesText(const Graph& graph) {
  if (graph.names().empty()) return "";
  std::string text = std::string(kWord) + "\n";
  const NodeNames names(graph);
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    // Names that the program made have spaces, and are made again.
    const std::string name = names.Of(NodeId(node));
    if (name.find(' ') == std::string::npos) text += fmt::format("{} {}\n", node, name);
  }
  return text;
}

}  // namespace heddle
