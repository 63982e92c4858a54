// SPDX-License-Identifier: GPL-2.0-only
/// Point-to-point messages outside collective calls: bytes of any length below 2 GiB, in order for
/// each pair of ranks.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "core/mpi/communicator.h"

namespace heddle {

/// At most one in a process, because all share one tag. That of a serial communicator never calls
/// MPI and cannot send.
class Mailbox final {
 public:
  /// Calls no MPI yet. Requires that no other mailbox lives.
  explicit Mailbox(const Communicator& world);
  /// Messages that were never received are leaked: the run has failed by then.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Returns at once; the bytes are kept until they are sent.
  void Send(RankId to, std::vector<char> bytes);
  /// Receives the next message of any rank; false if none has come yet.
  bool Receive(RankId* from, std::vector<char>* bytes);
  /// Waits for the next message. Sleeps between polls, so that a rank without work leaves its core
  /// to others.
  void Await(RankId* from, std::vector<char>* bytes);
  /// Waits until all messages are sent.
  void Flush();

 private:
  struct Letter;
  /// Frees messages whose sending is complete.
  void DropSent();

  bool serial_;
  std::list<std::unique_ptr<Letter>> sent_;  ///< may still be in transit
};

}  // namespace heddle
