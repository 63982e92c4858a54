// SPDX-License-Identifier: GPL-2.0-only
/// The collectives of a step of an instance: which follow each other, and of how many bytes, if the
/// step computes so many tokens.
///
/// Tensor parallelism adds the activations of all tokens after the attention and after the
/// feed-forward of each layer: two AllReduces. If the experts of a layer are apart (expert
/// parallelism), the sum of the attention is scattered, each GPU sends its tokens to the GPUs of
/// their experts (dispatch) and gets them back (combine), and an AllGather follows. So the
/// collectives of a layer are
///   AllReduce, AllReduce                             or
///   ReduceScatter, dispatch, combine, AllGather      with experts apart.
///
/// An AllReduce over G groups of S near GPUs (step_layout.h) is a ReduceScatter within each group,
/// S rings between the groups, each of 2 (G - 1) rounds with 1 / (S G) of the bytes, and an
/// AllGather within each group; the others have the halves of that. In dispatch and combine each
/// GPU sends to every other directly.
///
/// What stays within a group takes the time of rings, or of one GPU's sends, in closed form:
/// NVLinks of GPUs of one instance carry little else. What leaves it is messages (step_group.h), or
/// has a closed form, too.
///
/// Sources: the sequence of layers is that of Megatron-LM's tensor and expert parallelism and of
/// DeepSeek-V3's low-latency kernels (DeepEP: every token goes to each of its experts' GPUs by
/// itself); two-level AllReduce as in NCCL's description of rails and in BlueConnect.
/// Omitted: uneven choices of experts (each GPU pair exchanges the mean), layers without experts
/// in a model that has some, overlap of collectives with computing.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/units.h"
#include "core/serving/steps/step_layout.h"

namespace heddle {

enum class StepOperation : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kDispatch,
  kCombine,
  kAllGather
};

/// Whether each GPU sends to every other: a dispatch or combine.
constexpr bool IsExchange(StepOperation operation) {
  return operation == StepOperation::kDispatch || operation == StepOperation::kCombine;
}

/// What a message of some bytes takes alone.
struct StepPath {
  Time delay;
  BitRate rate{1};  ///< > 0

  /// Returns the time of `messages` of `bytes` one after the other, each with the delay; rounded up
  /// to the picosecond.
  Time Of(std::int64_t messages, std::int64_t bytes) const;
};

class StepProgram {
 public:
  struct Shape {
    std::uint32_t layers = 0;           ///< 0: a step has no collectives
    std::int64_t token_bytes = 0;       ///< of a token's activations between layers
    std::uint32_t top_k = 0;            ///< experts of a token; 0: experts are not apart
    std::int64_t dispatched_bytes = 0;  ///< of a token that is sent to an expert
  };
  /// No collectives.
  StepProgram() = default;
  StepProgram(const Shape& shape, StepLayout layout) : shape_(shape), layout_(std::move(layout)) {}

  const StepLayout& layout() const { return layout_; }
  /// Number of collectives of a step; 0 for one GPU.
  std::uint32_t operations() const { return layout_.ranks() > 1 ? shape_.layers * per_layer() : 0; }
  /// Whether some of their messages leave a group.
  bool leaves_groups() const { return operations() > 0 && layout_.groups > 1; }
  /// Returns a collective of a step, < operations().
  StepOperation At(std::uint32_t operation) const;
  /// Rounds of messages between groups: each GPU sends the next one's when it has got this one's.
  std::uint32_t RoundsOf(StepOperation operation) const;
  /// Messages that a GPU gets, and sends, in a round.
  std::uint32_t MessagesOf(StepOperation operation) const;
  /// Whether a rank sends to another in this round of a collective of a step; for any numbers.
  bool Sends(std::uint32_t operation, std::uint32_t round, std::uint32_t source,
             std::uint32_t destination) const;
  /// Bytes of a message between groups, at least 1.
  std::int64_t BytesOf(StepOperation operation, std::int64_t tokens) const;
  /// Time within a group before the first message, and after the last.
  Time Before(StepOperation operation, std::int64_t tokens) const;
  Time After(StepOperation operation, std::int64_t tokens) const;
  /// Least time of a dispatch or combine, that of its messages within the group; else 0.
  Time Beside(StepOperation operation, std::int64_t tokens) const;
  /// Returns the time of all collectives of a step if nothing else is on the fabric: messages
  /// between groups at the price of `far`.
  Time TimeOf(std::int64_t tokens) const;
  /// Visits the kinds of collectives of a step, each with its number.
  template <class Visit>
  void ForEachKind(Visit visit) const {
    if (operations() == 0) return;
    if (shape_.top_k == 0) return visit(StepOperation::kAllReduce, operations());
    for (std::uint32_t i = 0; i < per_layer(); ++i) visit(At(i), shape_.layers);
  }

  StepPath near;          ///< between neighbours within a group
  StepPath far;           ///< between groups
  bool messages = false;  ///< messages between groups are sent; else they have their prices

 private:
  std::uint32_t per_layer() const { return shape_.top_k > 0 ? 4 : 2; }
  /// Bytes of a ReduceScatter's or AllGather's message within a group.
  std::int64_t NearBytes(std::int64_t tokens) const;

  Shape shape_;
  StepLayout layout_;
};

}  // namespace heddle
