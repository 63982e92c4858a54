// SPDX-License-Identifier: GPL-2.0-only
/// The schemes that choose the queue pairs of a request, and their names.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <variant>

#include "core/base/check.h"
#include "transport/model/requests/cast_stripes.h"
#include "transport/model/requests/cast_tokens.h"
#include "transport/model/requests/equal_stripes.h"
#include "transport/model/requests/queue_pairs_in_turn.h"
#include "transport/model/requests/request_scheme.h"
#include "transport/model/requests/single_queue_pair.h"

namespace heddle {

/// All schemes. The one list: option, help, checks and tests follow from it.
using RequestSchemes = std::variant<WholeMessage, SingleQueuePair, QueuePairsInTurn, EqualStripes,
                                    CastStripes, CastTokens>;

namespace detail {
template <class List>
struct TableOf;
template <class... Scheme>
struct TableOf<std::variant<Scheme...>> {
  static constexpr RequestSchemeTraits kRows[] = {Scheme::kTraits...};
};
}  // namespace detail

/// Returns the rows of all schemes, in the order of the list.
constexpr const auto& RequestSchemeTable() { return detail::TableOf<RequestSchemes>::kRows; }

/// Returns the row of a name that exists.
inline const RequestSchemeTraits& TraitsOfScheme(std::string_view name) {
  const auto& table = RequestSchemeTable();
  std::size_t row = 0;
  while (row < std::size(table) && name != table[row].name) ++row;
  HEDDLE_EXPECT(row < std::size(table));
  return table[row];
}

}  // namespace heddle
