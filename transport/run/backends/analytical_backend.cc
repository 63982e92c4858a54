// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/analytical_backend.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {

namespace {

/// By domain: `streams` are at the root, after those of hosts.
std::vector<RankId> RankOfDomains(const BackendInput& input, DomainId streams) {
  std::vector<RankId> rank_of = input.rank_of;
  if (streams.valid()) rank_of.emplace_back(0);
  return rank_of;
}

}  // namespace

AnalyticalBackend::AnalyticalBackend(const BackendInput& input)
    : AnalyticalBackend(input, DomainId()) {
  if (!input.failures.empty())
    throw UserError(
        "--backend analytical: there are link failures, which closed forms do not know. Expected: "
        "--backend packet, or no failures");
}

AnalyticalBackend::AnalyticalBackend(const BackendInput& input, DomainId streams)
    : run_{input.prices, input.domain_of, &post_office_, streams},
      routes_(input.graph, input.transport.nic.ports),
      nodes_(input.nodes),
      post_office_(RankOfDomains(input, streams), input.here, input.ranks) {
  HEDDLE_EXPECT(input.prices != nullptr);
  for (std::uint32_t rank = 0; rank < input.ranks; ++rank) {
    if (RankId(rank) != input.here) neighbours_.emplace_back(rank);
  }
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    if (input.rank_of[id] != input.here) continue;
    domains_.push_back(std::make_unique<AnalyticalDomain>(DomainId(id), &run_));
    post_office_.Add(domains_.back().get());
  }
}

void AnalyticalBackend::Drive(FlowDriver* driver) {
  for (const auto& domain : domains_)
    domain->Attach(driver->AgentOf(domain->id(), nodes_[domain->id().value]));
  post_office_.Resume();  // agents have begun collectives
}

std::uint64_t AnalyticalBackend::events() const {
  std::uint64_t sum = 0;
  for (const auto& domain : domains_) sum += domain->events();
  return sum;
}

Time AnalyticalBackend::now() const {
  Time last;
  for (const auto& domain : domains_) last = std::max(last, domain->now());
  return last;
}

void AnalyticalBackend::AddMemory(MemoryAccount* account) const {
  for (const auto& domain : domains_) domain->AddMemory(account);
  post_office_.AddMemory(account);
}

void AnalyticalBackend::SavePieces(PieceWriter* to) {
  post_office_.EmptyAllInboxes();
  StateWriter state;
  for (const auto& domain : domains_) {
    state.Clear();
    domain->Save(&state);
    to->Add(PieceKind::kDomain, domain->id().value, state.bytes());
  }
}

void AnalyticalBackend::LoadPieces(CheckpointPieces* from) {
  for (const auto& domain : domains_) {
    from->Load(PieceKind::kDomain, domain->id().value, [&](StateReader* state) {
      domain->Load(state);
      state->ExpectEnd();
    });
  }
  post_office_.Resume();
}

}  // namespace heddle
