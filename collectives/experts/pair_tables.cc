// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/pair_tables.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

class RoutesOfTokens final : public TokenRoutes {
 public:
  RoutesOfTokens(std::shared_ptr<const RoutedTokens> tokens, std::int64_t buffer)
      : tokens_(std::move(tokens)), buffer_(buffer) {}

  std::vector<std::int64_t> BytesByServer(const std::vector<std::uint32_t>& server_of,
                                          std::uint32_t servers) const override {
    // Groups of one shape ask one after the other.
    if (server_of != known_) {
      rows_ = tokens_->RowsByServer(server_of, servers);
      known_ = server_of;
    }
    std::vector<std::int64_t> bytes;
    for (const std::uint32_t rows : rows_)
      bytes.push_back(BytesOfRows(buffer_, tokens_->counts(), rows));
    return bytes;
  }

 private:
  std::shared_ptr<const RoutedTokens> tokens_;
  std::int64_t buffer_;
  mutable std::vector<std::uint32_t> known_, rows_;  ///< the last answer
};

}  // namespace

std::int64_t BytesOfRows(std::int64_t buffer, const TokenCounts& counts, std::uint32_t rows) {
  if (rows == 0) return 0;
  const std::uint64_t all = std::uint64_t{counts.tokens} * counts.top_k;
  const auto bytes = static_cast<unsigned __int128>(buffer) * rows / all;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
}

PairSizes MakePairSizes(const std::shared_ptr<const RoutedTokens>& tokens, std::int64_t buffer,
                        ExpertOptions::Form form, bool returns) {
  HEDDLE_EXPECT(buffer > 0);
  const bool plain = form == ExpertOptions::Form::kPlain;
  const std::vector<std::uint32_t>& rows = plain ? tokens->choices() : tokens->rows();
  const std::size_t ranks = tokens->ranks();
  PairSizes sizes;
  sizes.returns = returns;
  sizes.bytes.resize(rows.size());
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::int64_t bytes = BytesOfRows(buffer, tokens->counts(), rows[from * ranks + to]);
      sizes.bytes[returns ? to * ranks + from : from * ranks + to] = bytes;
    }
  }
  if (form != ExpertOptions::Form::kServer) return sizes;
  sizes.tokens = std::make_shared<RoutesOfTokens>(tokens, buffer);
  sizes.token_digest = tokens->digest() ^ (static_cast<std::uint64_t>(buffer) << 1);
  return sizes;
}

}  // namespace heddle
