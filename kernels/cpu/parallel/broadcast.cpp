// Broadcasting: aligns shapes at the right, then merges contiguous dimensions.
#include "kernels/cpu/parallel/broadcast.hpp"

#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 40;

std::string text_of(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ",";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

[[noreturn]] void refuse(std::initializer_list<std::span<const std::int64_t>> shapes) {
  std::string list;
  for (const auto& shape : shapes) list += (list.empty() ? "" : " and ") + text_of(shape);
  throw Error(ErrorCode::invalid, format("shapes {} cannot be broadcast to one another", list),
              "aligned at the right, dimensions must be equal or 1");
}

std::vector<std::int64_t> output_shape(
    std::initializer_list<std::span<const std::int64_t>> shapes) {
  std::size_t rank = 0;
  for (const auto& shape : shapes) rank = std::max(rank, shape.size());
  std::vector<std::int64_t> result(rank, 1);
  for (const auto& shape : shapes) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t size = shape[i];
      std::int64_t& joint = result[rank - shape.size() + i];
      if (size == 1 || size == joint) continue;
      if (joint != 1) refuse(shapes);
      joint = size;
    }
  }
  return result;
}

}  // namespace

BroadcastPlan make_broadcast_plan(std::initializer_list<std::span<const std::int64_t>> shapes) {
  constexpr std::size_t operands = BroadcastPlan::max_operands;
  ORTOOL_CHECK(shapes.size() >= 1 && shapes.size() <= operands);
  BroadcastPlan plan;
  plan.shape = output_shape(shapes);
  for (const std::int64_t size : plan.shape) {
    ORTOOL_CHECK(size >= 0);
    if (size > 0 && plan.count > max_elements / size) {
      throw Error(ErrorCode::invalid,
                  format("the broadcast shape {} has too many elements", text_of(plan.shape)),
                  "at most 2^40 elements are possible");
    }
    plan.count *= size;
  }

  const std::size_t rank = plan.shape.size();
  std::vector<BroadcastPlan::Loop> loops(rank);
  std::size_t k = 0;
  for (const auto& shape : shapes) {
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      BroadcastPlan::Loop& loop = loops[rank - shape.size() + i];
      loop.strides[k] = shape[i] == 1 ? 0 : stride;
      stride *= shape[i];
    }
    ++k;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    BroadcastPlan::Loop& loop = loops[i];
    loop.size = plan.shape[i];
    if (loop.size == 1) continue;
    const auto runs_through = [&](const BroadcastPlan::Loop& before) {
      for (std::size_t operand = 0; operand < operands; ++operand) {
        if (before.strides[operand] != loop.strides[operand] * loop.size) return false;
      }
      return true;
    };
    if (!plan.loops.empty() && runs_through(plan.loops.back())) {
      loop.size *= plan.loops.back().size;
      plan.loops.back() = loop;
    } else {
      plan.loops.push_back(loop);
    }
  }
  if (plan.loops.empty()) plan.loops.emplace_back();
  return plan;
}

}  // namespace ortool::cpu
