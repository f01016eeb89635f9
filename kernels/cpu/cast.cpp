// Conversion between element types: one plain loop a pair of types.
#include "kernels/cpu/cast.hpp"

#include "kernels/cpu/convert_number.hpp"
#include "kernels/cpu/with_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t grain = 32768;

template <typename T>
void where_typed(const bool* condition, const void* a, const void* b, void* out,
                 const BroadcastPlan& plan, Workers& workers) {
  const BroadcastPlan::Loop& inner = plan.loops.back();
  const T* all_a = static_cast<const T*>(a);
  const T* all_b = static_cast<const T*>(b);
  T* all_out = static_cast<T*>(out);
  workers.parallel_ranges(plan.count, grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
      const bool* row_condition = condition + offsets[0];
      const T* row_a = all_a + offsets[1];
      const T* row_b = all_b + offsets[2];
      T* row = all_out + at;
      for (std::int64_t i = 0; i < length; ++i) {
        const T x = row_a[i * inner.strides[1]];
        const T y = row_b[i * inner.strides[2]];
        row[i] = row_condition[i * inner.strides[0]] ? x : y;
      }
    });
  });
}

struct SixteenBytes {
  std::uint64_t halves[2];
};

}  // namespace

void cast(DataType from, const void* in, DataType to, void* out, std::int64_t count,
          Workers& workers) {
  with_data_type(from, [&](auto from_value) {
    with_data_type(to, [&](auto to_value) {
      using From = decltype(from_value);
      using To = decltype(to_value);
      const From* all_in = static_cast<const From*>(in);
      To* all_out = static_cast<To*>(out);
      workers.parallel_ranges(count, grain, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) all_out[i] = convert_number<To>(all_in[i]);
      });
    });
  });
}

void where(const bool* condition, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, std::int64_t element_bytes, Workers& workers) {
  switch (element_bytes) {
    case 1:
      return where_typed<std::uint8_t>(condition, a, b, out, plan, workers);
    case 2:
      return where_typed<std::uint16_t>(condition, a, b, out, plan, workers);
    case 4:
      return where_typed<std::uint32_t>(condition, a, b, out, plan, workers);
    case 8:
      return where_typed<std::uint64_t>(condition, a, b, out, plan, workers);
    case 16:
      return where_typed<SixteenBytes>(condition, a, b, out, plan, workers);
    default:
      ORTOOL_CHECK(false && "element size");
  }
}

}  // namespace ortool::cpu
