// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/relayed_messages.h"

#include <algorithm>

namespace heddle {
namespace {

/// The connection by which a message is sent on that came by this one.
Connection NextOf(Connection connection) {
  return connection == Connection::kPxnInit ? Connection::kPxnNet : Connection::kPxnFinal;
}

}  // namespace

bool RelayedMessages::IsRelayed(const Schedule& schedule, const GroupFlow& arrived) {
  if (arrived.connection != Connection::kPxnInit && arrived.connection != Connection::kPxnNet)
    return false;
  std::vector<GroupFlow> children;
  schedule.After(arrived, &children);
  return std::any_of(children.begin(), children.end(), [&](const GroupFlow& child) {
    return child.connection == NextOf(arrived.connection);
  });
}

void RelayedMessages::Keep(const MessageName& arrived, const char* payload, std::int64_t bytes) {
  const Key key = KeyOf(arrived, NextOf(arrived.connection()), arrived.destination);
  kept_[key].emplace(arrived.source, std::vector<char>(payload, payload + bytes));
}

std::map<Participant, std::vector<char>> RelayedMessages::Take(const MessageName& leaving) {
  const auto at = kept_.find(KeyOf(leaving, leaving.connection(), leaving.source));
  if (at == kept_.end()) return {};
  std::map<Participant, std::vector<char>> parts = std::move(at->second);
  kept_.erase(at);
  return parts;
}

}  // namespace heddle
