// Rows of ids of texts as a tensor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// The rows as a tensor [..., M], where `texts` are the leading dimensions; `padding` fills shorter
/// rows up. With an output 1, ones for ids and zeros for padding go there.
inline void set_token_rows(DynamicContext& context, const Shape& texts,
                           const std::vector<std::vector<std::int64_t>>& rows,
                           std::int64_t padding) {
  std::size_t length = 0;
  for (const auto& row : rows) length = std::max(length, row.size());
  std::vector<std::int64_t> shape(texts.begin(), texts.end());
  shape.push_back(static_cast<std::int64_t>(length));
  Tensor ids = context.make(DataType::int64, Shape(shape));
  Tensor mask = context.has_output(1) ? context.make(DataType::int64, Shape(shape)) : Tensor();
  std::int64_t* next = ids.mutable_data<std::int64_t>().data();
  std::int64_t* is_id = context.has_output(1) ? mask.mutable_data<std::int64_t>().data() : nullptr;
  for (const auto& row : rows) {
    next = std::copy(row.begin(), row.end(), next);
    next = std::fill_n(next, length - row.size(), padding);
    if (is_id == nullptr) continue;
    is_id = std::fill_n(is_id, row.size(), 1);
    is_id = std::fill_n(is_id, length - row.size(), 0);
  }
  context.set_output(0, std::move(ids));
  if (context.has_output(1)) context.set_output(1, std::move(mask));
}

}  // namespace ortool::cpu
