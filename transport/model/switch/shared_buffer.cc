// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/shared_buffer.h"

#include <fmt/format.h>

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostBufferMib = 4095;

/// Size of a lossless buffer: with the shift below every account has 2 GiB, whatever the others
/// hold.
constexpr std::int64_t kLosslessBuffer = std::int64_t{1} << 45;
constexpr std::uint8_t kLosslessShift = 14;

/// Returns the bytes of headroom: rate [bit/s] x delay [s] / 8 rounded down, times the factor; the
/// order of SimAI's integers. Saturated far beyond any buffer, so that sums fit 63 bits.
std::int64_t HeadroomBytes(BitRate rate, Time delay, std::int64_t factor) {
  constexpr __int128 kFar = std::int64_t{1} << 40;
  const __int128 one_way = static_cast<__int128>(rate.bps) * delay.ps / 8'000'000'000'000;
  return static_cast<std::int64_t>(std::min(kFar, std::min(kFar, one_way) * factor));
}

/// Returns the most bytes that can arrive after the packet that makes a switch pause its sender:
/// the pause frame waits for a packet that its port is sending, is sent itself, and travels; the
/// sender may just have begun a packet; the last bit travels back. The packet that crosses the
/// threshold is in the headroom as well. (802.1Qbb leaves the amount to the switch.)
std::int64_t LosslessBytes(BitRate rate, Time delay, std::int64_t packet) {
  constexpr std::int64_t kPauseFrame = 43;
  return HeadroomBytes(rate, delay, 2) + 3 * packet + kPauseFrame;
}

}  // namespace

void BufferOptions::Declare(OptionSet* options) {
  options->AddGroup({"switch", "packet buffers of switches", "docs/models/buffers.md"});
  const std::string simai = "SimAI's switch-mmu, a constant there";
  options->Add({"switch.buffer", "BUFFER_SIZE", "packet buffer of a switch, shared by its ports",
                "MiB", "SimAI.conf"},
               &buffer_mib, 1, kMostBufferMib);
  options->Add(
      {"switch.reserve", "", "buffer guaranteed to each ingress port and priority", "byte", simai},
      &reserve, 0, std::int64_t{1} << 30);
  options->Add({"switch.headroom_factor", "",
                "headroom of a port in bandwidth-delay products of its link, one way; at least "
                "what PFC needs to lose nothing; 0: "
                "none",
                "", simai},
               &headroom_factor, 0, 1000);
  options->Add({"switch.alpha_shift", "",
                "a port may use 2^-shift of the free pool; one less for each halving that brings "
                "it to the NIC's rate",
                "", simai},
               &threshold_shift, 0, 16);
  options->Add({"pfc.resume_offset", "",
                "a paused port resumes when it is this far below its threshold", "byte", simai},
               &resume_offset, 0, std::int64_t{1} << 30);
  options->Add({"compat.nvlink_alpha", "",
                "compare port rates with the NVLink's instead of the NIC's for the pool's share, "
                "as SimAI does",
                "", "heddle"},
               &nvlink_alpha);
  options->Add({"compat.simai_headroom", "",
                "headroom of three bandwidth-delay products even where that is too small for PFC "
                "to be lossless (short links, "
                "large packets), as in SimAI",
                "", "heddle"},
               &simai_headroom);
}

SharedBuffer::SharedBuffer(const BufferOptions& options, const std::vector<PortLimits>& ports,
                           BitRate nic_rate, const std::string& who)
    : accounts_(ports.size()),
      limits_(ports.size()),
      reserve_(options.reserve),
      resume_offset_(options.resume_offset),
      buffer_(options.lossless ? kLosslessBuffer : options.buffer_mib << 20),
      headroom_factor_(options.lossless ? 0 : options.headroom_factor),
      packet_(options.simai_headroom ? 0 : options.packet),
      threshold_shift_(options.threshold_shift),
      nic_rate_(nic_rate),
      lossless_(options.lossless),
      who_(who) {
  HEDDLE_EXPECT(nic_rate.bps > 0 && options.buffer_mib <= kMostBufferMib);
  for (std::uint32_t port = 0; port < ports.size(); ++port) {
    limits_[port].delay = ports[port].delay;
    SetLimits(port, ports[port].rate);
  }
  UpdatePool();
}

void SharedBuffer::SetPaused(std::uint32_t port, int priority, bool paused) {
  if (this->paused(port, priority) == paused) return;
  limits_[port].paused = static_cast<std::uint8_t>(limits_[port].paused ^ (1U << priority));
  paused_accounts_ += paused ? 1 : -1;
  UpdateQuiet();
}

void SharedBuffer::SetRate(std::uint32_t port, BitRate rate) {
  SetLimits(port, rate);
  UpdatePool();
}

void SharedBuffer::SetLimits(std::uint32_t port, BitRate rate) {
  Limits& limits = limits_[port];
  limits.rate = rate;
  limits.headroom = HeadroomBytes(rate, limits.delay, headroom_factor_);
  if (packet_ > 0 && headroom_factor_ > 0)
    limits.headroom = std::max(limits.headroom, LosslessBytes(rate, limits.delay, packet_));
  if (lossless_) {
    limits.shift = kLosslessShift;
    return;
  }
  limits.shift = static_cast<std::uint8_t>(threshold_shift_);
  for (std::int64_t bps = rate.bps; bps > nic_rate_.bps && limits.shift > 0; bps /= 2)
    --limits.shift;
}

void SharedBuffer::UpdatePool() {
  std::int64_t headroom = 0;
  for (const Limits& limits : limits_) headroom += limits.headroom;
  const std::int64_t reserve = reserve_ * static_cast<std::int64_t>(limits_.size());
  pool_ = buffer_ - headroom - reserve;
  if (pool_ < 0) {
    const std::int64_t needed_mib = ((headroom + reserve - 1) >> 20) + 1;
    const std::string advice =
        needed_mib <= kMostBufferMib
            ? fmt::format(
                  "Give switch.buffer (BUFFER_SIZE) at least {} MiB, or reduce "
                  "switch.reserve",
                  needed_mib)
            : fmt::format(
                  "That is above the most that switch.buffer (BUFFER_SIZE) takes, {} MiB: "
                  "give links less delay or rate, or reduce switch.reserve",
                  kMostBufferMib);
    throw UserError(
        fmt::format("the buffer of {} is too small: its {} ports need {} bytes of headroom (for "
                    "what comes after a pause) "
                    "and {} bytes of reserve, together more than its {} bytes ({} MiB). {}",
                    who_, limits_.size(), headroom, reserve, buffer_, buffer_ >> 20, advice));
  }
  quiet_level_ = QuietLevel();
  UpdateQuiet();
}

/// Returns the largest quiet level. Let P be the pool, r the reserve, u the bytes in the buffer
/// (none in headroom, nothing paused), S what they use of the pool. A packet of b bytes arrives at
/// a port of shift s and headroom h, in whose account are x bytes; W = u + b. What is the least W
/// for which something can happen?
///
/// Pause. When it was added, let its account use a >= 0 of the pool and all others c >= 0. A pause
/// needs
///   a >= (P - a - c) >> s, that is a (2^s + 1) + c > P - 2^s. (*)
/// If P < 2^s, this is true for a = c = 0: any packet causes a pause, the level is 0. Else a > 0 or
/// c > 0; who uses some of the pool also fills a reserve, so W >= a + c + r. In (*) a byte of a
/// weighs 2^s + 1 >= 2 and one of c only 1, so the least a + c is all a: floor((P - 2^s) / (2^s +
/// 1)) + 1 = floor((P + 1) / (2^s + 1)), and W = r + that.
///
/// Headroom. It needs a = x + b - r > 0 and a > (P - S) >> s. The packet's bytes could only lower
/// the right side, so (*) holds for this a and the others' c, with W >= a + c + r: not before a
/// pause.
///
/// Refusal. It needs b > h and b + max(0, x - r) > (P - S) >> s. If S > 0, (*) holds for a = b +
/// max(0, x - r) and the others' c, and some account fills its reserve: W >= a + c + r, not before
/// a pause. If S = 0, it needs b > max(h, P >> s), at the earliest with u = 0: W = max(h, P >> s) +
/// 1.
///
/// Both bounds are reached (one account filled byte by byte; one packet), so the least W minus 1,
/// over all ports, is the largest level. Below it a packet that leaves at once changes nothing: it
/// goes to reserve and pool, and as no headroom is in use Remove takes the same bytes from there.
/// No resume can follow, as nothing is paused.
std::int64_t SharedBuffer::QuietLevel() const {
  std::int64_t level = buffer_;
  for (const Limits& limits : limits_) {
    const std::int64_t share = std::int64_t{1} << limits.shift;
    if (pool_ < share) return 0;
    const std::int64_t pause = reserve_ + (pool_ + 1) / (share + 1);
    const std::int64_t refusal = std::max(limits.headroom, pool_ >> limits.shift) + 1;
    level = std::min({level, pause - 1, refusal - 1});
  }
  return level;
}

bool SharedBuffer::Holds(const std::vector<std::int64_t>& bytes) const {
  std::int64_t used = 0, shared = 0, headroom = 0, paused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Account& account = accounts_[i / kPriorities].of[i % kPriorities];
    if (std::int64_t{account.ingress} + account.headroom != bytes[i]) return false;
    used += bytes[i];
    shared += Shared(account);
    headroom += account.headroom;
  }
  for (const Limits& limits : limits_) paused += __builtin_popcount(limits.paused);
  return used == used_ && shared == shared_used_ && headroom == headroom_total_ &&
         paused == paused_accounts_;
}

}  // namespace heddle
