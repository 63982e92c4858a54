// SPDX-License-Identifier: GPL-2.0-only
/// A message from one domain to another: a time stamp, its order among equal times, and 48 bytes of
/// cargo.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// Plain bytes that only the two domains interpret (a packet, a request to the controller).
struct Cargo {
  alignas(8) unsigned char bytes[48];

  template <class Record>
  static Cargo Of(const Record& record) {
    static_assert(sizeof(Record) <= sizeof(Cargo) && std::is_trivially_copyable_v<Record>);
    Cargo cargo;
    std::memcpy(cargo.bytes, &record, sizeof(Record));
    return cargo;
  }
};

/// Further bytes of every message, in runs whose model asks for them (in-band telemetry):
/// PostOffice's `tails`.
struct MessageTail {
  alignas(8) unsigned char bytes[128];
};

/// A message between ranks. Arrives at `time`, at least one lookahead after it was sent.
struct Message {
  Time time;
  std::uint64_t order = 0;  ///< EventOrder::bits() at the receiver
  Cargo cargo;
};
static_assert(sizeof(Message) == 64, "a message is one cache line");

/// A message with its address, an element of a batch for another rank.
struct AddressedMessage {
  Message message;
  DomainId destination;
  std::uint32_t padding = 0;
};
static_assert(sizeof(AddressedMessage) == 72 && std::is_trivially_copyable_v<AddressedMessage>);

/// Number of records that a tail occupies after its message, in an inbox and in a batch for another
/// rank.
constexpr std::size_t kTailRecords = 2;
static_assert(kTailRecords * sizeof(Message) >= sizeof(MessageTail));

}  // namespace heddle
