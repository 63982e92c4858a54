// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/rings.h"

namespace heddle {
namespace {

/// `value` modulo `size`, for a value below twice the size: a division takes longer.
std::uint32_t Wrap(std::uint32_t value, std::uint32_t size) {
  return value < size ? value : value - size;
}

}  // namespace

Rings::Rings(const GroupShape& shape, bool pxn) : shape_(shape), pxn_(pxn) {
  first_place_.reserve(shape.servers());
  server_at_.reserve(shape.ranks());
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    first_place_.push_back(static_cast<std::uint32_t>(server_at_.size()));
    server_at_.insert(server_at_.end(), shape.locals(server), server);
  }
}

std::uint32_t Rings::PlaceOf(std::uint32_t ring, Participant rank) const {
  const std::uint32_t server = shape_.server_of(rank), locals = shape_.locals(server);
  return first_place_[server] + Wrap(shape_.local_of(rank) + locals - ring, locals);
}

Participant Rings::RankAt(std::uint32_t ring, std::uint32_t place) const {
  const std::uint32_t server = server_at_[place];
  return shape_.local(server, Wrap(place - first_place_[server] + ring, shape_.locals(server)));
}

Participant Rings::Next(std::uint32_t ring, Participant rank) const {
  return RankAt(ring, Wrap(PlaceOf(ring, rank) + 1, ranks()));
}

Participant Rings::Previous(std::uint32_t ring, Participant rank) const {
  return RankAt(ring, Wrap(PlaceOf(ring, rank) + ranks() - 1, ranks()));
}

Crossing Rings::HopFrom(std::uint32_t ring, Participant rank) const {
  return MakeCrossing(shape_, rank, Next(ring, rank), Connection::kRing, pxn_);
}

Participant Rings::HopSource(const GroupFlow& flow) const {
  if (flow.connection == Connection::kRing || flow.connection == Connection::kPxnInit)
    return flow.source;
  // Between servers, or just after: the only hop of this ring into the destination's server.
  return Previous(flow.channel, shape_.local(shape_.server_of(flow.destination), flow.channel));
}

std::size_t Rings::memory() const {
  return sizeof(*this) + (first_place_.capacity() + server_at_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace heddle
