// SPDX-License-Identifier: GPL-2.0-only
/// Saves and loads a fabric's state for checkpoints, domain by domain. All serialization code of
/// the transport is compiled here, once.
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/set.hpp>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"
#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/domain/fabric_domain/state_check.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {

void Fabric::Save(std::size_t index, StateWriter* to) const {
  if (index == domains_.size()) {
    *to << *controller_;
    return;
  }
  const FabricDomain& domain = *domains_.at(index);
  *to << domain;
  if (domain.agent() != nullptr) domain.agent()->Save(to);
}

void Fabric::Load(std::size_t index, StateReader* from) {
  if (index == domains_.size()) {
    *from >> *controller_;
  } else {
    FabricDomain& domain = *domains_.at(index);
    *from >> domain;
    if (domain.agent() != nullptr) domain.agent()->Load(from);
    StateCheck(domain).Check();
  }
  from->ExpectEnd();
}

void Fabric::SavePieces(PieceWriter* to) {
  post_office_.EmptyAllInboxes();
  Settle();
  StateWriter state;
  for (std::size_t i = 0; i < post_office_.domains().size(); ++i) {
    state.Clear();
    Save(i, &state);
    to->Add(PieceKind::kDomain, post_office_.domains()[i]->id().value, state.bytes());
  }
}

void Fabric::LoadPieces(CheckpointPieces* from) {
  for (std::size_t i = 0; i < post_office_.domains().size(); ++i) {
    from->Load(PieceKind::kDomain, post_office_.domains()[i]->id().value,
               [&](StateReader* state) { Load(i, state); });
  }
  Resume();
}

}  // namespace heddle
