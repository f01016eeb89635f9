// Rows of ids: those of texts as a tensor, and texts of those in a tensor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "providers/cpu/text/text_values.hpp"

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

/// Decodes each row of input 0, ids of shape [..., M], by `decode(ids, row)` to a text of output 0,
/// whose shape is the leading dimensions; [1] if there are none.
template <typename Decode>
void set_row_texts(DynamicContext& context, const Decode& decode) {
  const Tensor& in = context.input(0);
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  std::int64_t length = 1;
  if (!shape.empty()) {
    length = shape.back();
    shape.pop_back();
  }
  if (shape.empty()) shape.push_back(1);
  const Shape rows{shape};
  check_string_room(context, rows.element_count());
  TextList out(context);
  for (std::int64_t row = 0; row < rows.element_count(); ++row) {
    out.add(decode(in.data<std::int64_t>().subspan(static_cast<std::size_t>(row * length),
                                                   static_cast<std::size_t>(length)),
                   row));
  }
  context.set_output(0, out.take(rows));
}

}  // namespace ortool::cpu
