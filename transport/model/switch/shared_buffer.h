// SPDX-License-Identifier: GPL-2.0-only
/// The packet buffer of one switch, accounted by ingress port and priority: reserve, shared pool,
/// headroom.
///
/// Source: SimAI's switch-mmu.cc, after Choudhury and Hahne, "Dynamic Queue Length Thresholds for
/// Shared-Memory Packet Switches", IEEE/ACM Trans. Networking 6 (1998): threshold = alpha x what is
/// left of the pool, alpha = 2^-shift. The headroom serves IEEE 802.1Qbb: it takes what is still on
/// the wire when a port is paused.
/// Invariants, sums over all accounts: shared_used() = sum of max(0, ingress - reserve), used() =
/// sum of (ingress + headroom).
/// Not modelled: egress accounting, cells (a packet takes its bytes), a headroom shared by ports.
///
/// Priority 0 is control. PFC frames are never accounted: do not call Add for them. Any other
/// packet of priority 0 is accounted like the rest, but its account never asks for a pause: what
/// exceeds threshold and headroom is refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"
#include "transport/model/wire/limits.h"

namespace heddle {

class OptionSet;

struct BufferOptions {
  /// transport/model/replay/replay_permission.h: the same for all switches, at rest when they are
  /// empty.
  static constexpr bool kMayBeReplayed = true;

  std::int64_t buffer_mib = 32;  ///< BUFFER_SIZE [MiB]; below 4096, so that an account fits 32 bits
  std::int64_t reserve = 4096;   ///< guaranteed to each (port, priority) [byte]
  /// A resume needs this much less than the threshold (hysteresis) [byte].
  std::int64_t resume_offset = 3072;
  /// Headroom in bandwidth-delay products of the port's link, in one direction.
  std::int64_t headroom_factor = 3;
  std::int64_t threshold_shift = 3;  ///< a port may use 2^-shift of the free pool
  bool nvlink_alpha = false;  ///< the caller passes the NVLink's rate as nic_rate, as SimAI does
  /// SimAI's headroom even where it is too small for PFC to be lossless.
  bool simai_headroom = false;
  /// Nothing is refused and no sender is paused: an NVSwitch, whose links have credits
  /// (nvlink.lossless). An account of one port and priority holds 2 GiB.
  bool lossless = false;
  /// Largest packet [byte], which a lossless headroom depends on; 0: SimAI's headroom.
  std::int64_t packet = 0;

  /// Adds switch.*, pfc.resume_offset and compat.* of the buffer. Does not add `lossless` and
  /// `packet`.
  void Declare(OptionSet* options);
};

/// Sizes are bytes on the wire. Ports are numbered from 0 in the constructor's order, priorities
/// are 0 to 7.
class SharedBuffer {
 public:
  struct PortLimits {
    BitRate rate;
    Time delay;  ///< propagation delay of the link

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& rate& delay;
    }
  };

  /// Shares a buffer among these ports. A port faster than `nic_rate` (> 0) gets a smaller shift:
  /// one less for each halving that brings its rate down to it. `who` ("switch 12") names the
  /// switch in messages. Throws UserError if headroom and reserve exceed the buffer.
  SharedBuffer(const BufferOptions& options, const std::vector<PortLimits>& ports, BitRate nic_rate,
               const std::string& who);

  /// Whether a packet that came in through `port` fits. The caller drops a refused packet.
  bool Admits(std::uint32_t port, int priority, std::int64_t bytes) const {
    const Account& account = At(port, priority);
    return bytes + account.headroom <= limits_[port].headroom ||
           bytes + Shared(account) <= threshold(port);
  }
  /// Adds a packet. Requires Admits().
  void Add(std::uint32_t port, int priority, std::int64_t bytes) {
    Account& account = At(port, priority);
    const std::int64_t beyond_reserve = account.ingress + bytes - reserve_;
    used_ += bytes;
    if (beyond_reserve > 0 && beyond_reserve > threshold(port)) {
      account.headroom = Narrow(account.headroom + bytes);
      headroom_total_ += bytes;
      UpdateQuiet();
      return;
    }
    account.ingress = Narrow(account.ingress + bytes);
    shared_used_ += std::clamp<std::int64_t>(beyond_reserve, 0, bytes);
  }
  /// Adds a packet while used() + bytes <= quiet_level(): it fits into reserve and pool, whatever
  /// the threshold.
  void AddQuietly(std::uint32_t port, int priority, std::int64_t bytes) {
    Account& account = At(port, priority);
    const std::int64_t beyond_reserve = account.ingress + bytes - reserve_;
    used_ += bytes;
    account.ingress = Narrow(account.ingress + bytes);
    shared_used_ += std::clamp<std::int64_t>(beyond_reserve, 0, bytes);
  }
  /// Removes a packet. The account must hold its bytes. Headroom empties first, then the shared
  /// part, then the reserve.
  void Remove(std::uint32_t port, int priority, std::int64_t bytes) {
    Account& account = At(port, priority);
    HEDDLE_EXPECT(bytes <= std::int64_t{account.ingress} + account.headroom);
    const std::int64_t from_headroom = std::min<std::int64_t>(account.headroom, bytes);
    const std::int64_t from_ingress = bytes - from_headroom;
    used_ -= bytes;
    shared_used_ -= std::min(from_ingress, Shared(account));
    account.ingress = Narrow(account.ingress - from_ingress);
    if (from_headroom == 0) return;
    account.headroom = Narrow(account.headroom - from_headroom);
    headroom_total_ -= from_headroom;
    UpdateQuiet();
  }

  /// Prefetches the accounts of an ingress port before a packet arrives.
  void Prefetch(std::uint32_t port) const { __builtin_prefetch(&accounts_[port]); }

  /// Whether the sender at the other end of the port's link must stop this priority now. Call it
  /// after Add(). Never for priority 0.
  bool ShouldPause(std::uint32_t port, int priority) const {
    const Account& account = At(port, priority);
    return priority != 0 && !paused(port, priority) &&
           (account.headroom > 0 || Shared(account) >= threshold(port));
  }
  /// Whether the sender may resume. Call it after Remove().
  bool ShouldResume(std::uint32_t port, int priority) const {
    const Account& account = At(port, priority);
    if (!paused(port, priority) || account.headroom > 0) return false;
    const std::int64_t shared = Shared(account);
    return shared == 0 || shared + resume_offset_ <= threshold(port);
  }
  /// Whether the sender was sent a pause, and no resume since.
  bool paused(std::uint32_t port, int priority) const {
    return ((limits_[port].paused >> priority) & 1U) != 0;
  }
  bool any_paused() const { return paused_accounts_ > 0; }  ///< some sender is paused
  /// Records that the sender was sent a pause or a resume; no change if that was so already.
  void SetPaused(std::uint32_t port, int priority, bool paused);

  /// Returns the shared buffer that each account of the port may use now [byte], never negative.
  std::int64_t threshold(std::uint32_t port) const {
    return std::max<std::int64_t>(0, (pool_ - shared_used_) >> limits_[port].shift);
  }
  /// Returns the bytes of the account in reserve and shared pool.
  std::int64_t ingress(std::uint32_t port, int priority) const {
    return At(port, priority).ingress;
  }
  /// Returns the bytes of the account in headroom.
  std::int64_t headroom_used(std::uint32_t port, int priority) const {
    return At(port, priority).headroom;
  }
  /// Returns the most headroom that each account of the port may use [byte].
  std::int64_t headroom(std::uint32_t port) const { return limits_[port].headroom; }
  int shift(std::uint32_t port) const { return limits_[port].shift; }  ///< alpha is 2^-shift
  std::int64_t shared_used() const { return shared_used_; }            ///< bytes in the shared pool
  std::int64_t used() const { return used_; }                          ///< bytes in the buffer

  /// Returns the quiet level. While used() + bytes <= quiet_level(), a packet of that size is
  /// certainly admitted, uses no headroom and causes no pause, whatever its port and priority and
  /// however the bytes in the buffer are distributed. If it leaves at once, Add and Remove would
  /// change nothing and no resume could follow, so both may be skipped. This is the largest such
  /// number (proof in shared_buffer.cc); it is -1 while an account is paused or uses headroom.
  std::int64_t quiet_level() const { return quiet_now_; }

  /// Changes the rate of a degraded or repaired link, and so its headroom and shift. Throws
  /// UserError as the constructor does.
  void SetRate(std::uint32_t port, BitRate rate);

  /// Saves only what changes during a run; the object must have been built with the same options
  /// and ports.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& shared_used_& used_& headroom_total_& paused_accounts_;
    for (std::uint32_t port = 0; port < limits_.size(); ++port) {
      BitRate rate = limits_[port].rate;
      archive& rate& limits_[port].paused;
      if constexpr (Archive::is_loading::value) SetLimits(port, rate);
      for (Account& account : accounts_[port].of) archive& account.ingress& account.headroom;
    }
    if constexpr (Archive::is_loading::value) UpdatePool();
  }

  BitRate rate(std::uint32_t port) const { return limits_[port].rate; }  ///< as SetRate() left it
  /// Whether the accounts hold these bytes, by port and priority, and the sums agree with them:
  /// what Remove() relies on. Checks loaded state.
  bool Holds(const std::vector<std::int64_t>& bytes) const;

  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return accounts_.capacity() * sizeof(PortAccounts) + limits_.capacity() * sizeof(Limits);
  }

 private:
  /// Account of one priority of an ingress port [byte]. It never exceeds the buffer, which is below
  /// 2^32.
  struct Account {
    std::uint32_t ingress = 0;
    std::uint32_t headroom = 0;
  };
  struct alignas(64) PortAccounts {
    Account of[kPriorities];
  };
  static_assert(sizeof(PortAccounts) == 64, "a port's accounts are one cache line");

  struct Limits {
    std::int64_t headroom = 0;
    BitRate rate;
    Time delay;
    std::uint8_t shift = 0;
    std::uint8_t paused = 0;  ///< bit q: priority q is paused
  };

  /// Returns `bytes` as 32 bits; asserts that they fit.
  static std::uint32_t Narrow(std::int64_t bytes) {
    HEDDLE_ASSERT(bytes >= 0 && bytes < (std::int64_t{1} << 32));
    return static_cast<std::uint32_t>(bytes);
  }
  const Account& At(std::uint32_t port, int priority) const { return accounts_[port].of[priority]; }
  Account& At(std::uint32_t port, int priority) { return accounts_[port].of[priority]; }
  /// Returns the bytes of an account beyond its reserve, in the shared pool.
  std::int64_t Shared(const Account& account) const {
    return std::max<std::int64_t>(0, account.ingress - reserve_);
  }
  /// Sets quiet_now_, after a change of headroom or pauses.
  void UpdateQuiet() {
    quiet_now_ = headroom_total_ == 0 && paused_accounts_ == 0 ? quiet_level_ : -1;
  }
  /// Sets the headroom and the shift of a port for this rate.
  void SetLimits(std::uint32_t port, BitRate rate);
  /// Computes the pool and the quiet level from the limits. Throws UserError if headroom and
  /// reserve exceed the buffer.
  void UpdatePool();
  /// Returns the largest level that is quiet at every port; the proof is in the .cc file.
  std::int64_t QuietLevel() const;

  std::vector<PortAccounts> accounts_;
  std::vector<Limits> limits_;
  std::int64_t pool_ = 0;  ///< buffer without all headroom and reserve
  std::int64_t shared_used_ = 0;
  std::int64_t used_ = 0;
  std::int64_t quiet_now_ = 0;  ///< quiet_level_, or -1
  std::int64_t reserve_;
  std::int64_t resume_offset_;
  std::int64_t quiet_level_ = 0;
  std::int64_t headroom_total_ = 0;  ///< bytes in headroom
  std::int64_t paused_accounts_ = 0;
  std::int64_t buffer_;
  std::int64_t headroom_factor_;
  std::int64_t packet_;
  std::int64_t threshold_shift_;
  BitRate nic_rate_;
  bool lossless_;
  std::string who_;
};

}  // namespace heddle
