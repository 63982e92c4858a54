// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/pxn_all_to_all_schedule.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "collectives/schedule/pieces.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Number of m in [0, end) with m mod `modulus` == `rest` (< modulus).
std::uint64_t CountCongruent(std::uint32_t end, std::uint32_t modulus, std::uint32_t rest) {
  return rest < end ? (end - rest - 1) / modulus + 1 : 0;
}

}  // namespace

PxnAllToAllSchedule::PxnAllToAllSchedule(std::int64_t bytes, const GroupShape& shape,
                                         const PairSizes* sizes)
    : bytes_(bytes), shape_(shape), pairs_(sizes) {
  HEDDLE_EXPECT(sizes == nullptr ||
                sizes->bytes.size() == std::size_t{shape.ranks()} * shape.ranks());
  if (std::uint64_t{shape.servers()} * shape.ranks() > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError(
        fmt::format("ALLTOALL with PXN over {} ranks in {} servers has too many messages to "
                    "number. Expected: PXN off",
                    shape.ranks(), shape.servers()));
  }
  std::map<std::uint32_t, std::uint32_t> servers_of_size;
  for (std::uint32_t server = 0; server < shape.servers(); ++server)
    ++servers_of_size[shape.locals(server)];
  sizes_.assign(servers_of_size.begin(), servers_of_size.end());
  for (Participant rank = 0; rank < shape.ranks(); ++rank) flow_count_ += CountsOf(rank).sends;
}

FlowCounts PxnAllToAllSchedule::CountsOf(Participant p) const {
  if (!shape_.is_rank(p)) return {};
  const std::uint32_t own = shape_.locals(shape_.server_of(p)), place = shape_.local_of(p);
  std::uint64_t nets_out = 0, nets_in = 0, finals_in = 0, nets_for_me = 0;
  for (const auto& [size, servers] : sizes_) {
    const std::uint64_t others = servers - (size == own ? 1 : 0);
    // Ranks there that this one is the proxy of.
    nets_out += others * CountCongruent(size, own, place);
    if (place >= size) {
      finals_in += others;  // no rank there has this rank's place
    } else {
      nets_for_me += others;
      // Ranks here that are reached through this one.
      nets_in += others * CountCongruent(own, size, place);
    }
  }
  const std::uint64_t inits_out = shape_.ranks() - own - nets_out, inits_in = nets_out * (own - 1);
  const std::uint64_t finals_out = nets_in - nets_for_me;
  return {own - 1 + inits_out + nets_out + finals_out, own - 1 + inits_in + nets_in + finals_in};
}

PxnAllToAllSchedule::Bundle PxnAllToAllSchedule::BundleOf(std::uint32_t server,
                                                          Participant to) const {
  const std::uint32_t there = shape_.server_of(to);
  const std::uint32_t place = shape_.local_of(to) % shape_.locals(server);
  return {server, to, shape_.local(server, place), shape_.local(there, place)};
}

GroupFlow PxnAllToAllSchedule::Flow(Participant source, Participant destination,
                                    Connection connection, std::uint32_t chunk, Participant part,
                                    std::int64_t bytes) const {
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = chunk;
  flow.connection = connection;
  flow.offset = PartOf({0, bytes_}, shape_.ranks(), part).offset;
  flow.bytes = bytes;
  return flow;
}

std::int64_t PxnAllToAllSchedule::BytesOf(Participant from, Participant to) const {
  if (pairs_ != nullptr) return pairs_->bytes[std::size_t{from} * shape_.ranks() + to];
  return PartOf({0, bytes_}, shape_.ranks(), to).bytes;
}

std::int64_t PxnAllToAllSchedule::BytesOf(const Bundle& bundle) const {
  const std::uint32_t locals = shape_.locals(bundle.server);
  if (pairs_ == nullptr) return BytesOf(bundle.proxy, bundle.to) * locals;
  std::int64_t bytes = 0;
  for (std::uint32_t l = 0; l < locals; ++l)
    bytes += BytesOf(shape_.local(bundle.server, l), bundle.to);
  return bytes;
}

GroupFlow PxnAllToAllSchedule::Direct(Participant from, Participant to) const {
  return Flow(from, to, Connection::kDirect, 0, to, BytesOf(from, to));
}

GroupFlow PxnAllToAllSchedule::Init(const Bundle& bundle, Participant from) const {
  return Flow(from, bundle.proxy, Connection::kPxnInit, bundle.server * shape_.ranks() + bundle.to,
              bundle.to, BytesOf(from, bundle.to));
}

GroupFlow PxnAllToAllSchedule::Net(const Bundle& bundle) const {
  return Flow(bundle.proxy, bundle.entry, Connection::kPxnNet,
              bundle.server * shape_.ranks() + bundle.to, bundle.to, BytesOf(bundle));
}

GroupFlow PxnAllToAllSchedule::Final(const Bundle& bundle) const {
  return Flow(bundle.entry, bundle.to, Connection::kPxnFinal,
              bundle.server * shape_.ranks() + bundle.to, bundle.to, BytesOf(bundle));
}

void PxnAllToAllSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!shape_.is_rank(p)) return;
  const std::uint32_t server = shape_.server_of(p);
  for (Participant to = 0; to < shape_.ranks(); ++to) {
    if (to == p) continue;
    if (shape_.server_of(to) == server) {
      out->push_back(Direct(p, to));
      continue;
    }
    const Bundle bundle = BundleOf(server, to);
    if (bundle.proxy != p) out->push_back(Init(bundle, p));
    if (shape_.locals(server) == 1) out->push_back(Net(bundle));  // no other rank to wait for
  }
}

void PxnAllToAllSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  if (arrived.connection == Connection::kDirect || arrived.connection == Connection::kPxnFinal)
    return;
  const Bundle bundle = BundleOf(arrived);
  if (arrived.connection == Connection::kPxnInit) {
    children->push_back(Net(bundle));
  } else if (bundle.entry != bundle.to) {
    children->push_back(Final(bundle));
  }
}

std::uint32_t PxnAllToAllSchedule::ParentCount(const GroupFlow& flow) const {
  if (flow.connection == Connection::kPxnFinal) return 1;
  return flow.connection == Connection::kPxnNet ? shape_.locals(BundleOf(flow).server) - 1 : 0;
}

void PxnAllToAllSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  if (flow.connection == Connection::kPxnFinal) parents->push_back(Net(BundleOf(flow)));
  if (flow.connection != Connection::kPxnNet) return;
  const Bundle bundle = BundleOf(flow);
  for (std::uint32_t l = 0; l < shape_.locals(bundle.server); ++l) {
    const Participant from = shape_.local(bundle.server, l);
    if (from != bundle.proxy) parents->push_back(Init(bundle, from));
  }
}

void PxnAllToAllSchedule::VisitBundle(const Bundle& bundle,
                                      const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> inits;
  Parents(Net(bundle), &inits);
  for (const GroupFlow& flow : inits) visit(flow);
  visit(Net(bundle));
  if (bundle.entry != bundle.to) visit(Final(bundle));
}

void PxnAllToAllSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (Participant from = 0; from < shape_.ranks(); ++from) {
    const std::uint32_t server = shape_.server_of(from);
    for (std::uint32_t l = 0; l < shape_.locals(server); ++l) {
      if (shape_.local(server, l) != from) visit(Direct(from, shape_.local(server, l)));
    }
  }
  for (std::uint32_t server = 0; server < shape_.servers(); ++server) {
    for (Participant to = 0; to < shape_.ranks(); ++to) {
      if (shape_.server_of(to) != server) VisitBundle(BundleOf(server, to), visit);
    }
  }
}

}  // namespace heddle
