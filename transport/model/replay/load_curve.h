// SPDX-License-Identifier: GPL-2.0-only
/// How many bytes were sent over time, to the picosecond, in little memory.
///
/// Long flows that share links fall into cycles: the same waits and sizes again and again. A cycle
/// that comes several times in a row is kept once, with its number. Everything else takes 9 bytes a
/// transmission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// Transmissions in the order of their beginnings, in picoseconds after an origin.
class LoadCurve {
 public:
  /// Appends a transmission of `bytes` that begins at `after` [ps], not before the last one. O(1).
  /// Returns whether this completed a new cycle.
  bool Append(std::int64_t after, std::uint32_t bytes);
  /// Whether the last transmissions repeat a cycle. Then the next three functions describe it.
  bool repeats() const { return !spans_.empty() && spans_.back().taken > spans_.back().kept; }
  /// Returns the time after which everything repeats it [ps].
  std::int64_t repeats_after() const { return spans_.back().after; }
  /// Returns the time of one cycle [ps].
  std::int64_t cycle_time() const { return spans_.back().cycle_time; }
  std::int64_t cycle_bytes() const { return spans_.back().cycle_bytes; }  ///< of one cycle
  /// Appends the cycle so many times more. A negative number removes as many that were appended
  /// like this. Requires repeats().
  void Repeat(std::int64_t times);
  /// Returns the bytes of the transmissions that begin before `after`.
  std::int64_t Before(std::int64_t after) const;
  std::int64_t total() const { return total_; }  ///< bytes of all transmissions
  /// Returns when the first transmission at `after` or later begins [ps]; negative if there is
  /// none.
  std::int64_t Next(std::int64_t after) const;
  /// Frees what only Append() needs, as nothing will be added any more.
  void Close();
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return steps_.capacity() * sizeof(Step) + spans_.capacity() * sizeof(Span) +
           places_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kPlain = 64;       ///< most steps of a span that repeats nothing
  static constexpr std::size_t kMostPeriod = 2048;  ///< steps of a cycle
  static constexpr std::size_t kLeast = 64;         ///< steps of cycles that are worth a span
  static constexpr std::size_t kTimes = 3;          ///< a cycle comes again before it counts
  static constexpr std::size_t kPlaces = 4096;

  /// One transmission: the time since the one before [ps], and its bytes.
  struct Step {
    std::uint32_t wait, bytes;
    friend bool operator==(const Step& a, const Step& b) {
      return a.wait == b.wait && a.bytes == b.bytes;
    }
  };
  /// Steps that are kept one by one, or one cycle of them that repeats.
  struct Span {
    std::int64_t after, bytes;             ///< what all spans before it have added up to
    std::int64_t cycle_time, cycle_bytes;  ///< sums over its kept steps
    std::size_t first;                     ///< of its steps
    std::uint32_t kept;
    std::uint64_t taken;  ///< steps in all: more than kept, if they repeat
  };

  /// Appends one step. Returns whether that completed a new cycle.
  bool Push(Step step);
  /// Looks for a cycle that ends with the last step. Returns whether it found one.
  bool Watch(Step step);
  /// Turns the last steps, cycles of period_, into a span that repeats.
  void Fold();
  /// Removes the last steps, which are in spans that do not repeat.
  void Cut(std::size_t count);
  /// Begins a span whose steps start at number `first`.
  void Open(std::size_t first);
  /// Counts the step that was just stored, in the last span and in the sums.
  void Take(Step step);
  /// Calls visit(time, bytes before, step) for each step from a place before `after` on, until it
  /// returns false.
  template <class Visit>
  void Walk(std::int64_t after, const Visit& visit) const;

  std::vector<Step> steps_;
  std::vector<Span> spans_;
  std::int64_t last_ = 0;  ///< time of the last step
  std::int64_t total_ = 0;
  // The search for cycles, among the steps since the last one.
  std::vector<std::uint32_t>
      places_;              ///< by hash of eight steps in a row: number of the last, from 1
  std::uint64_t hash_ = 0;  ///< of the last eight steps
  std::size_t plain_ = 0;   ///< steps since the last cycle
  std::size_t period_ = 0, equal_ = 0;  ///< so many steps equal those `period_` before them
};

}  // namespace heddle
