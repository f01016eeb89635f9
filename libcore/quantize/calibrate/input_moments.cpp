// Input moments: sums the upper triangle of X^T X over rows of quantized inputs.
#include "libcore/quantize/calibrate/input_moments.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The stride and offset of the sampled rows; the offset varies between samples.
struct RowChoice {
  std::int64_t first;
  std::int64_t step;

  RowChoice(std::int64_t rows, std::int64_t sample)
      : step(std::max<std::int64_t>((rows + InputMoments::max_rows - 1) / InputMoments::max_rows,
                                    1)) {
    constexpr std::int64_t far_apart = 7919;
    first = sample % step * far_apart % step;
  }
};

class MomentObserver : public SampleObserver {
 public:
  MomentObserver(std::span<const MomentRequest> requests, std::vector<InputMoments>& moments)
      : requests_(requests), moments_(moments) {}

  void begin(std::int64_t number) override { sample_ = number; }
  void see(const Value& value, const RunValue& content) override {
    const auto [place, is_new] = consumers_.try_emplace(&value);
    for (std::size_t i = 0; is_new && i < requests_.size(); ++i) {
      if (requests_[i].value == value.name()) place->second.push_back(i);
    }
    if (!content.is_tensor()) return;
    for (const std::size_t i : place->second) moments_[i].add(content.tensor(), sample_);
  }

 private:
  std::span<const MomentRequest> requests_;
  std::vector<InputMoments>& moments_;
  std::int64_t sample_ = 0;
  std::unordered_map<const Value*, std::vector<std::size_t>> consumers_;
};

}  // namespace

/// An input [n, channels, …] and the positions of the kernel.
struct InputMoments::Image {
  std::vector<std::int64_t> sizes;    ///< spatial
  std::vector<std::int64_t> outputs;  ///< kernel positions along each axis
  std::int64_t plane = 1;
  std::int64_t places = 1;

  Image(const Shape& shape, const InputWindows& windows) {
    const auto axes = static_cast<std::int64_t>(windows.kernel.size());
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      sizes.push_back(shape[axis + 2]);
      const std::int64_t reach = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
      const std::int64_t room =
          sizes[i] + windows.pads[i] + windows.pads[i + windows.kernel.size()] - reach;
      outputs.push_back(room < 0 ? 0 : room / windows.strides[i] + 1);
      plane *= sizes[i];
      places *= outputs[i];
    }
  }

  /// The flat spatial index that tap `tap` reads at kernel position `place`; -1 in the padding.
  std::int64_t at(std::int64_t place, std::int64_t tap, const InputWindows& windows) const {
    std::int64_t index = 0;
    std::int64_t unit = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      const std::int64_t position = place % outputs[i] * windows.strides[i] - windows.pads[i] +
                                    tap % windows.kernel[i] * windows.dilations[i];
      place /= outputs[i];
      tap /= windows.kernel[i];
      if (position < 0 || position >= sizes[i]) return -1;
      index += position * unit;
      unit *= sizes[i];
    }
    return index;
  }
};

InputMoments::InputMoments(const WeightMatrix& matrix, InputWindows windows, Scale scale,
                           QuantizationType type)
    : matrix_(matrix),
      windows_(std::move(windows)),
      scale_(scale),
      code_range_(code_range_of(type)),
      columns_(matrix.group_inputs() * matrix.taps()) {
  const std::size_t axes = windows_.kernel.size();
  if (windows_.strides.size() != axes || windows_.dilations.size() != axes ||
      windows_.pads.size() != 2 * axes) {
    throw Error(ErrorCode::invalid,
                format("a window over {} axes has a different number of strides", axes));
  }
  for (std::int64_t group = 0; group < matrix.groups(); ++group) {
    for (std::int64_t i = 0; i < block_count(); ++i) {
      sums_.emplace_back(static_cast<std::size_t>(block_columns(i) * block_columns(i)));
    }
  }
}

std::int64_t InputMoments::size_bytes(const WeightMatrix& matrix) {
  const std::int64_t columns = matrix.group_inputs() * matrix.taps();
  const std::int64_t whole = columns / max_columns;
  const std::int64_t rest = columns % max_columns;
  return matrix.groups() * (whole * max_columns * max_columns + rest * rest) * 8;
}

std::int64_t InputMoments::block_columns(std::int64_t block) const {
  return std::min(max_columns, columns_ - block * max_columns);
}

std::int64_t InputMoments::code_at(const Tensor& input, std::int64_t index) const {
  const auto value = static_cast<float>(element_as_double(input, index));
  return std::isnan(value) ? 0 : to_code(value, scale_, code_range_) - scale_.zero_point;
}

void InputMoments::add_row(std::int64_t group, std::span<const std::int64_t> codes) {
  for (std::int64_t b = 0; b < block_count(); ++b) {
    const auto columns = static_cast<std::size_t>(block_columns(b));
    const std::int64_t* row = codes.data() + b * max_columns;
    std::int64_t* sums = sums_[static_cast<std::size_t>(group * block_count() + b)].data();
    for (std::size_t i = 0; i < columns; ++i) {
      const std::int64_t left = row[i];
      if (left == 0) continue;
      std::int64_t* out = sums + i * columns;
      for (std::size_t k = i; k < columns; ++k) out[k] += left * row[k];
    }
  }
}

void InputMoments::add(const Tensor& input, std::int64_t sample) {
  if (!is_arithmetic(input.type()) || input.element_count() == 0) return;
  if (windows_.is_convolution()) {
    add_windows(input, sample);
  } else {
    add_products(input, sample);
  }
}

void InputMoments::add_products(const Tensor& input, std::int64_t sample) {
  const std::int64_t rank = input.shape().rank();
  if (rank < 1 || input.shape()[rank - 1] != columns_ || matrix_.groups() != 1) return;
  const std::int64_t rows = input.element_count() / columns_;
  std::vector<std::int64_t> codes(static_cast<std::size_t>(columns_));
  const RowChoice choice(rows, sample);
  for (std::int64_t row = choice.first; row < rows; row += choice.step) {
    for (std::int64_t i = 0; i < columns_; ++i) {
      codes[static_cast<std::size_t>(i)] = code_at(input, row * columns_ + i);
    }
    add_row(0, codes);
    ++rows_;
  }
}

void InputMoments::add_windows(const Tensor& input, std::int64_t sample) {
  const Shape& shape = input.shape();
  if (shape.rank() != static_cast<std::int64_t>(windows_.kernel.size()) + 2 ||
      shape[1] != matrix_.inputs()) {
    return;
  }
  const Image image(shape, windows_);
  const std::int64_t rows = shape[0] * image.places;
  std::vector<std::int64_t> codes(static_cast<std::size_t>(columns_));
  const RowChoice choice(rows, sample);
  for (std::int64_t row = choice.first; row < rows; row += choice.step) {
    for (std::int64_t group = 0; group < matrix_.groups(); ++group) {
      for (std::int64_t i = 0; i < columns_; ++i) {
        const std::int64_t tap = i % matrix_.taps();
        const std::int64_t channel = group * matrix_.group_inputs() + i / matrix_.taps();
        const std::int64_t place = image.at(row % image.places, tap, windows_);
        const std::int64_t plane = row / image.places * shape[1] + channel;
        codes[static_cast<std::size_t>(i)] =
            place < 0 ? 0 : code_at(input, plane * image.plane + place);
      }
      add_row(group, codes);
    }
    ++rows_;
  }
}

void InputMoments::merge(const InputMoments& other) {
  if (sums_.size() != other.sums_.size() || columns_ != other.columns_) {
    throw Error(ErrorCode::invalid, "sums of the inputs of different layers cannot be merged");
  }
  rows_ += other.rows_;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    for (std::size_t k = 0; k < sums_[i].size(); ++k) sums_[i][k] += other.sums_[i][k];
  }
}

std::vector<double> InputMoments::block(std::int64_t group, std::int64_t block) const {
  const auto columns = static_cast<std::size_t>(block_columns(block));
  const auto& sums = sums_[static_cast<std::size_t>(group * block_count() + block)];
  std::vector<double> full(columns * columns);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t k = i; k < columns; ++k) {
      full[i * columns + k] = static_cast<double>(sums[i * columns + k]);
      full[k * columns + i] = full[i * columns + k];
    }
  }
  return full;
}

std::vector<InputMoments> collect_moments(const Session& session,
                                          std::span<const MomentRequest> requests,
                                          FunctionRef<NamedValues(std::int64_t)> sample,
                                          const CollectOptions& options) {
  std::int64_t bytes = 0;
  for (const MomentRequest& request : requests) bytes += InputMoments::size_bytes(request.matrix);
  const MemoryReservation taken(options.cap, bytes, "sums of the inputs of layers");
  std::vector<InputMoments> moments;
  for (const MomentRequest& request : requests) {
    moments.emplace_back(request.matrix, request.windows, request.scale, request.type);
  }
  MomentObserver observer(requests, moments);
  run_samples(session, observer, sample, options);
  return moments;
}

}  // namespace ortool
