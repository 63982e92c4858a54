// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/orcs_dot.h"

#include <fmt/format.h>
#include <graphviz/cgraph.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "core/base/units.h"
#include "topology/files/dot_tokens.h"

namespace heddle {
namespace {

/// cgraph's messages since the last reading.
std::string& Complaints() {
  static std::string complaints;
  return complaints;
}

int Complain(char* text) {
  Complaints() += text;
  return 0;
}

char* Word(const char* text) { return const_cast<char*>(text); }  // cgraph's C interface

const char* CommentOf(Agedge_t* edge) {
  const char* comment = agget(edge, Word("comment"));
  return comment == nullptr ? "" : comment;
}

/// Calls visit(word) for each word of a comment.
template <class Visit>
void ForEachWord(std::string_view comment, Visit visit) {
  constexpr std::string_view kGaps = ", \t\n";
  for (std::size_t at = comment.find_first_not_of(kGaps); at != std::string_view::npos;) {
    const std::size_t end = std::min(comment.find_first_of(kGaps, at), comment.size());
    visit(comment.substr(at, end - at));
    at = comment.find_first_not_of(kGaps, end);
  }
}

}  // namespace

struct OrcsDot::Graph {
  Agraph_t* graph = nullptr;
  StaticNetwork network;
  std::vector<Agedge_t*> edges;  ///< by cable
  std::map<Agnode_t*, std::uint32_t> number;

  Graph() = default;
  ~Graph() {
    if (graph != nullptr) agclose(graph);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void AddNodes() {
    for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node))
      number[node] = network.AddNode(agnameof(node), agnameof(node)[0] == 'H');
  }
  void AddCables(const std::string& name) {
    for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
      for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
        network.AddCable({number[node], number[aghead(edge)], RateOf(edge, name)});
        edges.push_back(edge);
      }
    }
  }
  std::int64_t RateOf(Agedge_t* edge, const std::string& name) const {
    const char* rate = agget(edge, Word("rate"));
    if (rate == nullptr || *rate == '\0') return 0;
    try {
      return ParseBitRate(rate).bps;
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: edge {} -> {}: {}", name, Printable(agnameof(agtail(edge))),
                                  Printable(agnameof(aghead(edge))), error.what()));
    }
  }
  void AddRoutes() {
    std::vector<std::string> names;
    for (std::uint32_t host = 0; host < network.host_count(); ++host)
      names.push_back(network.HostName(host));
    std::unordered_map<std::string_view, std::uint32_t> hosts;
    for (std::uint32_t host = 0; host < network.host_count(); ++host)
      hosts.emplace(names[host], host);
    for (std::uint32_t cable = 0; cable < edges.size(); ++cable) {
      const std::uint32_t node = network.cables()[cable].from;
      const std::string_view comment = CommentOf(edges[cable]);
      if (comment == "*") {
        network.RouteRest(node, cable);
        continue;
      }
      ForEachWord(comment, [&](std::string_view word) {
        const auto host = hosts.find(word);
        if (host != hosts.end()) network.Route(node, host->second, cable);
      });
    }
  }
};

OrcsDot::OrcsDot(const std::string& text, const std::string& name)
    : graph_(std::make_unique<Graph>()) {
  CheckDotTokens(text, name);
  Complaints().clear();
  agseterrf(Complain);
  const bool whole = text.find('\0') == std::string::npos;
  graph_->graph = whole ? agmemread(text.c_str()) : nullptr;
  if (graph_->graph == nullptr) {
    std::string complaint = Complaints();
    while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
    throw UserError(fmt::format("{}: {}. Expected: a directed graph in Graphviz's DOT", name,
                                complaint.empty() ? "no graph" : Printable(complaint)));
  }
  if (agattr(graph_->graph, AGEDGE, Word("comment"), nullptr) == nullptr) {
    throw UserError(fmt::format(
        "{}: no edge has a comment. Expected: the destinations of each edge, as in H1 -> S1 "
        "[comment=\"*\"]",
        name));
  }
  graph_->AddNodes();
  if (graph_->network.host_count() == 0) {
    throw UserError(
        fmt::format("{}: no host. Expected: nodes whose names begin with a capital H", name));
  }
  graph_->AddCables(name);
  graph_->AddRoutes();
}

OrcsDot::~OrcsDot() = default;
OrcsDot::OrcsDot(OrcsDot&&) noexcept = default;
OrcsDot& OrcsDot::operator=(OrcsDot&&) noexcept = default;

const StaticNetwork& OrcsDot::network() const { return graph_->network; }

std::vector<std::uint32_t> OrcsDot::HostsBreadthFirst() const {
  const StaticNetwork& network = graph_->network;
  std::vector<std::uint32_t> host_of(network.node_count(), StaticNetwork::kNone), found;
  for (std::uint32_t host = 0; host < network.host_count(); ++host)
    host_of[network.NodeOfHost(host)] = host;
  std::vector<std::vector<std::uint32_t>> next(network.node_count());
  for (const StaticNetwork::Cable& cable : network.cables()) next[cable.from].push_back(cable.to);
  std::vector<bool> seen(network.node_count(), false);
  std::deque<std::uint32_t> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const std::uint32_t node = open.front();
    open.pop_front();
    if (host_of[node] != StaticNetwork::kNone) found.push_back(host_of[node]);
    for (const std::uint32_t to : next[node]) {
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return found;
}

std::string OrcsDot::Coloured(const std::vector<double>& congestion) {
  Agraph_t* graph = graph_->graph;
  for (const char* attribute : {"color", "congestion", "edge_id"})
    agattr(graph, AGEDGE, Word(attribute), Word(""));
  for (std::size_t cable = 0; cable < graph_->edges.size(); ++cable) {
    Agedge_t* edge = graph_->edges[cable];
    const double share = congestion[cable];
    const std::string colour = fmt::format("{:f} {:f} {:f}", 0.4 * (1 - share), 0.9, 0.9);
    agset(edge, Word("color"), Word(colour.c_str()));
    agset(edge, Word("congestion"), Word(fmt::format("{:f}", share).c_str()));
    agset(edge, Word("edge_id"), Word(std::to_string(cable).c_str()));
  }
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  if (file == nullptr) throw std::bad_alloc();
  agwrite(graph, file);
  std::fclose(file);
  std::string written(text, size);
  std::free(text);
  return written;
}

}  // namespace heddle
