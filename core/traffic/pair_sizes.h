// SPDX-License-Identifier: GPL-2.0-only
/// Bytes that each rank of a group sends to each, where the pairs differ: an AllToAll of experts
/// that some ranks ask for more often than others.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle {

/// The tokens behind a table of sizes: which servers each of them is for.
class TokenRoutes {
 public:
  virtual ~TokenRoutes() = default;

  /// Returns the bytes of the tokens that each rank has for each server, each token once a server,
  /// at rank * servers + server. `server_of`: the server of each rank, below `servers`.
  virtual std::vector<std::int64_t> BytesByServer(const std::vector<std::uint32_t>& server_of,
                                                  std::uint32_t servers) const = 0;
};

/// What a collective has of it is a pointer to a table that does not change, owned by the job's
/// program; null: all pairs are alike.
struct PairSizes {
  /// Bytes from rank `from` to rank `to` at from * ranks + to, at least 0; not empty.
  std::vector<std::int64_t> bytes;
  /// Null: one message a pair. Else what crosses to a server crosses once for each token, and is
  /// spread there (collectives/experts/two_hop_schedule.h).
  std::shared_ptr<const TokenRoutes> tokens = nullptr;
  /// Of the tokens: equal if BytesByServer() is the same for all servers; 0 without tokens.
  std::uint64_t token_digest = 0;
  /// The ranks send back what they got of `tokens`, which are those of the receivers.
  bool returns = false;
};

/// Orders tables by what they hold, those of pairs that are alike first: negative, 0 or positive as
/// `a` comes before `b`, is equal, or comes after it.
inline int CompareSizes(const PairSizes* a, const PairSizes* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  if (a->returns != b->returns) return b->returns ? -1 : 1;
  if (a->token_digest != b->token_digest) return a->token_digest < b->token_digest ? -1 : 1;
  if (a->bytes == b->bytes) return 0;
  return a->bytes < b->bytes ? -1 : 1;
}

}  // namespace heddle
