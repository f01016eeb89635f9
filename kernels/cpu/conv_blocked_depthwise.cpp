// Blocked convolution of each channel by itself, row by row.
#include <algorithm>

#include "kernels/cpu/blocked_windows.hpp"
#include "kernels/cpu/conv_blocked_paths.hpp"

namespace ortool::cpu {
namespace {

WindowSteps window_steps(const ConvSizes& sizes, int axis) {
  return {sizes.in[axis],     sizes.out[axis],      sizes.kernel[axis],
          sizes.stride[axis], sizes.dilation[axis], sizes.pad[axis]};
}

}  // namespace

void conv_blocked_depthwise(const ConvSizes& sizes, const BlockedConvOperands& operands,
                            const BlockedFunctions& functions, Workers& workers) {
  const std::int64_t lanes = functions.lanes;
  const std::int64_t blocks = (sizes.channels_out + lanes - 1) / lanes;
  const BlockedWindows windows{.planes = sizes.batch * blocks,
                               .lanes = lanes,
                               .rows = window_steps(sizes, 1),
                               .columns = window_steps(sizes, 2)};
  const ConvEpilogue& epilogue = operands.epilogue;
  const auto compute = [&](BlockedDepthwise& part, std::int64_t plane, std::int64_t, std::int64_t,
                           std::int64_t pixels) {
    part.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + plane % blocks * lanes;
    part.finish = {nullptr, epilogue.activation, epilogue.low, epilogue.high};
    if (epilogue.residual != nullptr)
      part.finish.residual = epilogue.residual + (part.y - operands.y);
    functions.depthwise(part, pixels);
  };
  const std::int64_t count = windows.row_count();
  const auto taps = static_cast<double>(sizes.kernel[1] * sizes.kernel[2]);
  const double nanoseconds = static_cast<double>(count * sizes.out[2]) * (1 + taps / 4);
  const std::int64_t tasks = std::min(count, worthwhile_tasks(nanoseconds));
  workers.parallel_ranges(
      count, (count + tasks - 1) / tasks, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          for_window_row(windows, operands.x, operands.y, operands.weights, blocks, row, compute);
      });
}

}  // namespace ortool::cpu
