// SPDX-License-Identifier: GPL-2.0-only
/// Reader of MSCCL's algorithms: XML files of its compiler, msccl-tools.
///
/// Source: the files that msccl-tools writes, and how MSCCL's interpreter reads them. Element algo
/// (name, nchunksperloop, ngpus, coll, proto, inplace) has elements gpu (id, i_chunks, o_chunks,
/// s_chunks), which have elements tb (id, send, recv, chan), which have elements step (s, type,
/// srcbuf, srcoff, dstbuf, dstoff, cnt, depid, deps). Types of steps: s, r, rcs, rrc, rrs, rrcs,
/// cpy, re, nop. Other attributes are skipped.
#pragma once

#include <string>

#include "collectives/custom/custom_algorithm.h"

namespace heddle {

/// Returns the algorithm as it is written; whether it is one, ProveCustom() says (custom_proof.h).
/// Throws UserError with `name` and the element that is wrong.
CustomAlgorithm ParseMscclAlgorithm(const std::string& text, const std::string& name);

/// Reads a file. Throws UserError as above, and if it looks like a file of another kind.
CustomAlgorithm ReadMscclAlgorithm(const std::string& path);

}  // namespace heddle
