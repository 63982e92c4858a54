// SPDX-License-Identifier: GPL-2.0-only
/// The prefix cache of an instance: blocks of prompts whose KV stays in memory when requests end.
///
/// Source: automatic prefix caching of vLLM V1, its page of that name. A block that
/// nobody holds is kept until its memory is needed; the one that was let go of the longest ago goes
/// first. A request lets go of its blocks from the last to the first, so that no block goes before
/// those that follow it in a prompt, and what is here of a prompt is here from its front.
///
/// Differs: blocks are those that a trace names (kPromptBlockTokens), not those of the memory. A
/// block that two requests computed at a time is kept once (as SGLang's tree does), not twice.
/// Omitted: blocks of answers, which traces do not name; caches in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle {

class PrefixCache {
 public:
  /// Blocks of a prompt from its front (ServingRequest::blocks).
  using Path = std::vector<std::uint32_t>;

  /// Returns how many blocks of a prompt are here, from its front on and at most `most`.
  std::size_t Match(const Path& path, std::size_t most) const;
  /// Returns how many of the first `count` blocks, which are here, nobody holds.
  std::size_t CountIdle(const Path& path, std::size_t count) const;
  /// Holds the first `count` blocks, which are here.
  void Hold(const Path& path, std::size_t count);
  /// Holds a block, which may be new. Returns whether somebody held it before.
  bool Add(std::uint32_t block);
  /// Lets go of the first `count` blocks, the last one first. Returns how many nobody holds now.
  std::size_t Release(const Path& path, std::size_t count);
  /// Drops blocks that nobody holds until there are at most `most` of them.
  void Shrink(std::size_t most);

  std::size_t size() const { return blocks_.size(); }   ///< blocks that are here
  std::size_t idle() const { return idle_.size(); }     ///< of them, that nobody holds
  std::size_t held() const { return size() - idle(); }  ///< of them, that somebody holds
  std::int64_t holders(std::uint32_t block) const;      ///< of a block; 0 if it is not here
  std::size_t memory() const;                           ///< bytes
  std::int64_t holds() const { return holds_; }         ///< by all holders, of all blocks
  /// Whether the parts of its state agree, counted one by one: true but for damaged ones.
  bool IsSound() const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& blocks_& idle_& released_& holds_;
  }

 private:
  struct Block {
    std::int64_t holders = 0;
    std::uint64_t released = 0;  ///< of idle_, if nobody holds it

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& holders& released;
    }
  };
  void HoldOne(Block* block);

  std::map<std::uint32_t, Block> blocks_;
  std::map<std::uint64_t, std::uint32_t> idle_;  ///< blocks that nobody holds, the oldest first
  std::uint64_t released_ = 0;                   ///< how often a block was let go of by all
  std::int64_t holds_ = 0;
};

}  // namespace heddle
