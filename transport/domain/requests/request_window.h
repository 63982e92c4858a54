// SPDX-License-Identifier: GPL-2.0-only
/// The requests of a connection or message that are under way, as the slots of a send buffer.
///
/// Source: NCCL, net_ib.cc and the proxy of src/transport/net.cc: the steps of a buffer are reused
/// in their order, so a request that is complete keeps its slot while an older one is not.
/// Invariant: the oldest request that it holds is not complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/state_count.h"

namespace heddle {

class RequestWindow {
 public:
  /// Returns the number of requests that hold a slot.
  std::size_t size() const { return missing_.size(); }
  /// Adds a request of `shares` > 0. Returns its number.
  std::uint64_t Open(std::uint32_t shares) {
    missing_.push_back(shares);
    return first_ + missing_.size() - 1;
  }
  /// Counts one of its shares as seen complete. Slots of the oldest complete requests become free.
  void Complete(std::uint64_t request) {
    --missing_[request - first_];
    std::size_t done = 0;
    while (done < missing_.size() && missing_[done] == 0) ++done;
    missing_.erase(missing_.begin(), missing_.begin() + static_cast<std::ptrdiff_t>(done));
    first_ += done;
  }
  std::size_t memory() const { return MemoryOf(missing_); }  ///< bytes allocated

  /// Claims the shares of each request of a loaded window one by one. Shares of a flow that failed
  /// are nobody's.
  class Claims {
   public:
    /// Copies the shares that are to be claimed.
    explicit Claims(const RequestWindow& window)
        : first_(window.first_), missing_(window.missing_) {}
    /// Claims one share. Throws UserError if the request has no more.
    void Claim(std::uint64_t request) {
      const bool known = request >= first_ && request - first_ < missing_.size();
      ExpectState(known && missing_[request - first_] > 0, "a share of no request");
      --missing_[request - first_];
    }

   private:
    std::uint64_t first_;
    std::vector<std::uint32_t> missing_;
  };

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& first_& missing_;
    if constexpr (Archive::is_loading::value) {
      ExpectState(missing_.empty() || missing_.front() > 0, "a request that is over");
      ExpectState(first_ < std::uint64_t{1} << 62, "too many requests");
    }
  }

 private:
  std::uint64_t first_ = 0;             ///< number of the oldest
  std::vector<std::uint32_t> missing_;  ///< shares not yet seen complete, by age
};

}  // namespace heddle
