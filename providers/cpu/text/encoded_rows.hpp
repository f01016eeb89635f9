// Rows of tokens with the bytes where each lies, cut off or filled up to one length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {

/// Ids of a text, and the bytes where each lies.
struct TokenRow {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> places;

  void add(std::int64_t id, std::size_t begin, std::size_t end) {
    ids.push_back(id);
    places.push_back(static_cast<std::int64_t>(begin));
    places.push_back(static_cast<std::int64_t>(end));
  }
};

/// Encodes each text of input 0 by `encode(text)` to a TokenRow: ids [..., M] to output 0, ones for
/// them and zeros for padding to output 1, places [..., M, 2] to output 2. M is `length`, or the
/// longest row's if that is not positive.
template <typename Encode>
void encode_rows(DynamicContext& context, std::int64_t length, std::int64_t padding,
                 const Encode& encode) {
  const Tensor& in = context.input(0);
  std::vector<TokenRow> rows;
  std::size_t width = 0;
  for (const std::string& text : in.strings()) {
    // A token takes 24 bytes of memory, and a byte of text makes one at most.
    check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()), 24), "tokens");
    rows.push_back(encode(text));
    width = std::max(width, rows.back().ids.size());
  }
  if (length > 0) width = static_cast<std::size_t>(length);
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  if (shape.empty()) shape.push_back(1);
  shape.push_back(static_cast<std::int64_t>(width));
  Tensor ids = context.make(DataType::int64, Shape(shape));
  Tensor mask = context.make(DataType::int64, Shape(shape));
  shape.push_back(2);
  Tensor places = context.has_output(2) ? context.make(DataType::int64, Shape(shape)) : Tensor();
  std::fill_n(ids.mutable_data<std::int64_t>().data(), ids.element_count(), padding);
  std::fill_n(mask.mutable_data<std::int64_t>().data(), mask.element_count(), 0);
  if (context.has_output(2))
    std::fill_n(places.mutable_data<std::int64_t>().data(), places.element_count(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t count = std::min(width, rows[i].ids.size());
    std::copy_n(rows[i].ids.data(), count, ids.mutable_data<std::int64_t>().data() + i * width);
    std::fill_n(mask.mutable_data<std::int64_t>().data() + i * width, count, 1);
    if (context.has_output(2)) {
      std::copy_n(rows[i].places.data(), count * 2,
                  places.mutable_data<std::int64_t>().data() + i * width * 2);
    }
  }
  context.set_output(0, std::move(ids));
  if (context.has_output(1)) context.set_output(1, std::move(mask));
  if (context.has_output(2)) context.set_output(2, std::move(places));
}

}  // namespace ortool::cpu
