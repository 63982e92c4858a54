// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/head_tree.h"

#include "collectives/in_network/tree_links.h"
#include "collectives/trees/double_binary_tree.h"
#include "core/base/memory_account.h"

namespace heddle {
namespace {

class SwitchTree final : public HeadTree {
 public:
  explicit SwitchTree(const GroupShape& shape) : shape_(shape) {
    for (std::uint32_t slice = 0; slice < shape.trees(); ++slice) links_.emplace_back(shape, slice);
  }

  bool HasSwitch(std::uint32_t slice, Participant p) const override { return links_[slice].Has(p); }
  bool IsRoot(const Piece& piece, Participant p) const override {
    return links_[piece.slice].IsRoot(p);
  }
  Participant Above(const Piece& piece, Participant p) const override {
    const TreeLinks& links = links_[piece.slice];
    return shape_.is_rank(p) ? links.AboveMember(shape_.server_of(p)) : links.Above(p);
  }
  std::uint32_t CountBelow(const Piece& piece, Participant p) const override {
    return links_[piece.slice].CountBelow(p);
  }
  void Below(const Piece& piece, Participant p, std::vector<Participant>* out) const override {
    const TreeLinks& links = links_[piece.slice];
    out->insert(out->end(), links.begin(p), links.end(p));
  }
  void Nodes(std::uint32_t slice, std::vector<Participant>* out) const override {
    for (std::uint32_t server = 0; server < shape_.servers(); ++server)
      out->push_back(shape_.local(server, slice));
    for (std::uint32_t k = 0; k < links_[slice].switches(); ++k)
      out->push_back(links_[slice].first() + k);
  }
  std::uint32_t period() const override { return 1; }
  std::size_t memory() const override {
    std::size_t sum = sizeof(*this) + MemoryOf(links_);
    for (const TreeLinks& links : links_) sum += links.memory();
    return sum;
  }

 private:
  const GroupShape& shape_;
  std::vector<TreeLinks> links_;  ///< by slice
};

class BinaryTrees final : public HeadTree {
 public:
  explicit BinaryTrees(const GroupShape& shape) : shape_(shape) {}

  bool HasSwitch(std::uint32_t /*slice*/, Participant /*p*/) const override { return false; }
  bool IsRoot(const Piece& piece, Participant p) const override {
    return shape_.is_rank(p) &&
           TreeOf(piece).Parent(shape_.server_of(p)) == DoubleBinaryTree::kNone;
  }
  Participant Above(const Piece& piece, Participant p) const override {
    const std::uint32_t above = TreeOf(piece).Parent(shape_.server_of(p));
    return above == DoubleBinaryTree::kNone ? p : shape_.local(above, piece.slice);
  }
  std::uint32_t CountBelow(const Piece& piece, Participant p) const override {
    return shape_.is_rank(p) ? TreeOf(piece).ChildCount(shape_.server_of(p)) : 0;
  }
  void Below(const Piece& piece, Participant p, std::vector<Participant>* out) const override {
    const std::uint32_t count = CountBelow(piece, p);
    for (std::uint32_t i = 0; i < count; ++i)
      out->push_back(shape_.local(TreeOf(piece).Child(shape_.server_of(p), i), piece.slice));
  }
  void Nodes(std::uint32_t slice, std::vector<Participant>* out) const override {
    for (std::uint32_t server = 0; server < shape_.servers(); ++server)
      out->push_back(shape_.local(server, slice));
  }
  std::uint32_t period() const override { return 2; }
  std::size_t memory() const override { return sizeof(*this); }

 private:
  DoubleBinaryTree TreeOf(const Piece& piece) const { return {shape_.servers(), piece.number % 2}; }

  const GroupShape& shape_;
};

}  // namespace

std::unique_ptr<HeadTree> MakeSwitchTree(const GroupShape& shape) {
  return std::make_unique<SwitchTree>(shape);
}

std::unique_ptr<HeadTree> MakeBinaryTrees(const GroupShape& shape) {
  return std::make_unique<BinaryTrees>(shape);
}

}  // namespace heddle
