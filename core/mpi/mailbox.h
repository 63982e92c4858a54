// SPDX-License-Identifier: GPL-2.0-only
/// Messages between two ranks outside collective calls: bytes of any length below 2 GiB, in order
/// between each two.
#ifndef HEDDLE_CORE_MPI_MAILBOX_H_
#define HEDDLE_CORE_MPI_MAILBOX_H_

#include <list>
#include <memory>
#include <vector>

#include "core/mpi/communicator.h"

namespace heddle {

/// One a process at a time: all share one tag. A serial communicator's never calls MPI, and nobody
/// can be sent to.
class Mailbox final {
 public:
  explicit Mailbox(const Communicator& world);
  /// Messages that were never received stay in memory: the run has failed by then.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Returns at once; the bytes are kept until they have left.
  void Send(RankId to, std::vector<char> bytes);
  /// The next message of any rank; false if none has come.
  bool Receive(RankId* from, std::vector<char>* bytes);
  /// The same, waiting. Sleeps between looks, so that a rank without work leaves its core to
  /// others.
  void Await(RankId* from, std::vector<char>* bytes);
  /// Waits until all messages have left.
  void Flush();

 private:
  struct Letter;
  void DropSent();

  bool serial_;
  std::list<std::unique_ptr<Letter>> sent_;  ///< perhaps still under way
};

}  // namespace heddle

#endif  // HEDDLE_CORE_MPI_MAILBOX_H_
