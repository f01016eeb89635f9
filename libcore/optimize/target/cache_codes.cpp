// Cache codes in rounding, clipping and integer arithmetic.
#include "libcore/optimize/target/cache_codes.hpp"

#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/weight_codes.hpp"

namespace ortool {
namespace {

constexpr double middle_of_4_bits = 8;

}  // namespace

CacheCodes::CacheCodes(Decomposition& out, GroupQueryAttention::Scales scales, std::int64_t bits,
                       std::int64_t heads, std::int64_t scale)
    : out_(out), scales_(scales), bits_(bits) {
  if (is_plain()) return;
  const bool has_channels = scales == GroupQueryAttention::Scales::per_channel;
  const std::int64_t shape[] = {1, has_channels ? heads : 1, 1, -1};
  factors_ = &reshape(out, *out.input(scale), shape);
}

DataType CacheCodes::type() const {
  if (is_plain()) return out_.element(0);
  return is_packed() ? DataType::uint8 : DataType::int8;
}

Value& CacheCodes::encoded(Value& rows) const {
  if (is_plain()) return type() == DataType::float32 ? rows : cast_to(out_, rows, type());
  const double most = is_packed() ? 7 : 127;
  Value& levels = out_.add("Round", {&out_.add("Div", {&rows, factors_})});
  Value& codes = out_.add("Clip", {&levels, &scalar(out_, DataType::float32, -most - 1),
                                   &scalar(out_, DataType::float32, most)});
  if (!is_packed()) return cast_to(out_, codes, type());
  Value& shifted = out_.add("Add", {&codes, &scalar(out_, DataType::float32, middle_of_4_bits)});
  const std::int64_t pairs[] = {0, 0, 0, -1, 2};
  Value& both = reshape(out_, shifted, pairs);
  Value& low = gather(out_, both, integer_scalar(out_, 0), 4);
  Value& high = out_.add("Mul", {&gather(out_, both, integer_scalar(out_, 1), 4),
                                 &scalar(out_, DataType::float32, 16)});
  return cast_to(out_, out_.add("Add", {&low, &high}), type());
}

Value& CacheCodes::decoded(Value& rows) const {
  if (is_plain()) return widened(out_, rows, type());
  Value* codes = is_packed() ? &unpacked_codes(out_, rows, 4, 4) : &rows;
  codes = &cast_to(out_, *codes, DataType::float32);
  if (is_packed())
    codes = &out_.add("Sub", {codes, &scalar(out_, DataType::float32, middle_of_4_bits)});
  return out_.add("Mul", {codes, factors_});
}

}  // namespace ortool
