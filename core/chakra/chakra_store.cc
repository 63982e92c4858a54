// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_store.h"

#include <type_traits>

#include "core/base/memory_account.h"

namespace heddle {
namespace {

static_assert(std::is_trivially_copyable_v<ChakraNode>);

template <class Item>
std::size_t BytesOf(const std::vector<Item>& items) {
  return items.size() * sizeof(Item);
}

}  // namespace

void ChakraStore::Put(ChakraRank* rank) {
  Place place{file_.size(), rank->nodes.size(), rank->followers.size()};
  file_.Append(rank->nodes.data(), BytesOf(rank->nodes));
  file_.Append(rank->followers.data(), BytesOf(rank->followers));
  places_.push_back(place);
  std::vector<ChakraNode>().swap(rank->nodes);
  std::vector<std::uint32_t>().swap(rank->followers);
}

const ChakraRank& ChakraStore::Load(std::uint32_t rank) {
  if (number_ == rank) return loaded_;
  number_ = kNone;
  const Place& place = places_[rank];
  loaded_.nodes.resize(place.nodes);
  loaded_.followers.resize(place.followers);
  file_.Read(place.at, loaded_.nodes.data(), BytesOf(loaded_.nodes));
  file_.Read(place.at + static_cast<std::int64_t>(BytesOf(loaded_.nodes)), loaded_.followers.data(),
             BytesOf(loaded_.followers));
  number_ = rank;
  return loaded_;
}

std::size_t ChakraStore::memory() const {
  return sizeof *this + MemoryOf(places_) + MemoryOf(loaded_.nodes) + MemoryOf(loaded_.followers);
}

}  // namespace heddle
