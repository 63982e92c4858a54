// SPDX-License-Identifier: GPL-2.0-only
/// Messages between ranks as they come, without copies of their own: a header of fixed size, then
/// the payload, from the sender's memory into memory that the receiver names when it has read the
/// header.
///
/// Nothing blocks. Headers of one sender come in the order in which it sent them, also to itself.
/// A payload of up to kInline bytes travels with its header; a longer one is a message of its own,
/// which MPI moves as it likes (shared memory, RDMA). All calls are of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/ids.h"

namespace heddle {

class MessageWire {
 public:
  /// Names an open send or receive; the caller chooses it.
  using Ticket = std::uint32_t;
  static constexpr std::size_t kInline = 1024;          ///< [byte]
  static constexpr std::int64_t kMostAtOnce = 1 << 30;  ///< of one count of MPI's [byte]

  /// Collective. `header`: size of every header [byte]. `most_at_once`: payloads above it are
  /// described to MPI in blocks of this size [byte], as its counts end at 2 GiB.
  explicit MessageWire(std::size_t header, std::int64_t most_at_once = kMostAtOnce);
  /// Drops open sends and receives without waiting for them.
  ~MessageWire();
  MessageWire(const MessageWire&) = delete;
  MessageWire& operator=(const MessageWire&) = delete;

  /// Starts to send. `header` is copied; `payload` must stay as it is until TakeSent() has returned
  /// the ticket.
  void Send(RankId to, const void* header, const void* payload, std::int64_t bytes, Ticket ticket);
  /// Takes a send whose payload may be changed again; false if there is none.
  bool TakeSent(Ticket* ticket);

  /// Takes the next header; false if there is none. Receive() must follow before the next call.
  bool TakeHeader(RankId* from, void* header);
  /// Takes the payload of the header that TakeHeader() has returned: `bytes` must be the sender's.
  /// `to` must stay until TakeReceived() has returned the ticket.
  void Receive(void* to, std::int64_t bytes, Ticket ticket);
  /// Takes a receive that is complete; false if there is none.
  bool TakeReceived(Ticket* ticket);

  /// Returns the number of open sends and receives.
  std::size_t open() const;
  /// Returns memory in bytes.
  std::size_t memory() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle
