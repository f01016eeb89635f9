// Input moments: sums the upper triangle of X^T X over rows of quantized inputs, tile by tile.
#include "libcore/quantize/calibrate/input_moments.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "libcore/base/error.hpp"
#include "libcore/base/float_lanes.hpp"
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

/// Rows of quantized inputs, the zero point subtracted, padded with zeros to whole tiles.
class CodeRows {
 public:
  /// `numbers` has a row each `stride` elements.
  CodeRows(std::span<const float> numbers, std::int64_t rows, std::int64_t columns,
           std::int64_t stride, Scale scale, CodeRange range)
      : rows_(static_cast<std::size_t>(rows)),
        columns_(static_cast<std::size_t>(columns)),
        padded_((columns_ + tile_columns - 1) / tile_columns * tile_columns),
        codes_(rows_ * padded_) {
    const FloatLanes step = float_lanes_of(scale.scale);
    const FloatLanes low = float_lanes_of(static_cast<float>(range.lowest - scale.zero_point));
    const FloatLanes high = float_lanes_of(static_cast<float>(range.highest - scale.zero_point));
    for (std::size_t row = 0; row < rows_; ++row) {
      float* out = codes_.data() + row * padded_;
      std::copy_n(numbers.data() + row * static_cast<std::size_t>(stride), columns_, out);
      for (std::size_t i = 0; i < padded_; i += float_lanes) {
        FloatLanes code = load_lanes<FloatLanes>(out + i) / step;
        code = code < low ? low : code;
        code = code > high ? high : code;
        // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, as nearbyint() does.
        const FloatLanes rounded = (code + rounder) - rounder;
        // NaN has no code.
        store_lanes(out + i, code == code ? rounded : FloatLanes{});
      }
    }
  }

  /// Adds the upper triangle of the products of all pairs of columns to `sums`.
  template <typename Lanes, typename Element>
  void add_products(std::vector<double>& sums) const {
    for (std::size_t i = 0; i < columns_; i += tile_rows) {
      for (std::size_t k = i / tile_columns * tile_columns; k < padded_; k += tile_columns)
        add_tile<Lanes, Element>(i, k, sums);
    }
  }

 private:
  static constexpr std::size_t tile_rows = 4;
  static constexpr std::size_t tile_columns = 8;
  static constexpr float rounder = 0x1.8p23F;

  template <typename Lanes, typename Element>
  static Lanes lanes_at(const float* codes) {
    if constexpr (sizeof(Element) == sizeof(float)) return load_lanes<Lanes>(codes);
    return Lanes{static_cast<Element>(codes[0]), static_cast<Element>(codes[1])};
  }

  template <typename Lanes, typename Element>
  void add_tile(std::size_t i, std::size_t k, std::vector<double>& sums) const {
    constexpr std::size_t width = sizeof(Lanes) / sizeof(Element);
    constexpr std::size_t parts = tile_columns / width;
    std::array<std::array<Lanes, parts>, tile_rows> tile = {};
    for (std::size_t row = 0; row < rows_; ++row) {
      const float* codes = codes_.data() + row * padded_;
#pragma GCC unroll 4
      for (std::size_t part = 0; part < parts; ++part) {
        const Lanes right = lanes_at<Lanes, Element>(codes + k + part * width);
#pragma GCC unroll 4
        for (std::size_t left = 0; left < tile_rows; ++left)
          tile[left][part] += static_cast<Element>(codes[i + left]) * right;
      }
    }
    for (std::size_t left = 0; left < tile_rows && i + left < columns_; ++left) {
      for (std::size_t right = 0; right < tile_columns; ++right) {
        const std::size_t column = k + right;
        if (column < i + left || column >= columns_) continue;
        sums[(i + left) * columns_ + column] +=
            static_cast<double>(tile[left][right / width][right % width]);
      }
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  std::size_t padded_;
  std::vector<float> codes_;
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

void InputMoments::add(const Tensor& input, std::int64_t sample) {
  if (!is_arithmetic(input.type()) || input.element_count() == 0) return;
  const Tensor floats = convert(input, DataType::float32);
  if (windows_.is_convolution()) {
    add_windows(floats, sample);
  } else {
    add_products(floats, sample);
  }
}

void InputMoments::add_products(const Tensor& input, std::int64_t sample) {
  const std::int64_t rank = input.shape().rank();
  if (rank < 1 || input.shape()[rank - 1] != columns_ || matrix_.groups() != 1) return;
  const std::int64_t rows = input.element_count() / columns_;
  const float* numbers = input.data<float>().data();
  std::vector<float> taken;
  const RowChoice choice(rows, sample);
  for (std::int64_t row = choice.first; row < rows; row += choice.step)
    taken.insert(taken.end(), numbers + row * columns_, numbers + (row + 1) * columns_);
  take_rows(0, taken);
  rows_ += static_cast<std::int64_t>(taken.size()) / columns_;
}

void InputMoments::add_windows(const Tensor& input, std::int64_t sample) {
  const Shape& shape = input.shape();
  if (shape.rank() != static_cast<std::int64_t>(windows_.kernel.size()) + 2 ||
      shape[1] != matrix_.inputs()) {
    return;
  }
  const Image image(shape, windows_);
  const std::int64_t rows = shape[0] * image.places;
  const std::int64_t taps = matrix_.taps();
  // What the taps read, for each row: the same in all channels.
  std::vector<std::int64_t> offsets;
  const RowChoice choice(rows, sample);
  for (std::int64_t row = choice.first; row < rows; row += choice.step) {
    const std::int64_t first = row / image.places * shape[1] * image.plane;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t place = image.at(row % image.places, tap, windows_);
      offsets.push_back(place < 0 ? -1 : first + place);
    }
  }
  const std::int64_t taken = static_cast<std::int64_t>(offsets.size()) / taps;
  const float* numbers = input.data<float>().data();
  std::vector<float> windows(static_cast<std::size_t>(taken * columns_));
  for (std::int64_t group = 0; group < matrix_.groups(); ++group) {
    float* out = windows.data();
    for (std::int64_t row = 0; row < taken; ++row) {
      const std::int64_t* reads = offsets.data() + row * taps;
      const float* plane = numbers + group * matrix_.group_inputs() * image.plane;
      for (std::int64_t channel = 0; channel < matrix_.group_inputs(); ++channel) {
        for (std::int64_t tap = 0; tap < taps; ++tap)
          *out++ = reads[tap] < 0 ? 0 : plane[reads[tap]];
        plane += image.plane;
      }
    }
    take_rows(group, windows);
  }
  rows_ += taken;
}

void InputMoments::take_rows(std::int64_t group, std::span<const float> numbers) {
  const std::int64_t rows = static_cast<std::int64_t>(numbers.size()) / columns_;
  if (matrix_.groups() != 1 || rows >= min_rows_at_once) return add_rows(group, numbers);
  waiting_.insert(waiting_.end(), numbers.begin(), numbers.end());
  if (static_cast<std::int64_t>(waiting_.size()) < min_rows_at_once * columns_) return;
  add_rows(0, waiting_);
  waiting_.clear();
}

void InputMoments::flush() {
  if (waiting_.empty()) return;
  add_rows(0, waiting_);
  waiting_ = {};
}

InputMoments InputMoments::flushed() const {
  InputMoments all = *this;
  all.flush();
  return all;
}

void InputMoments::add_rows(std::int64_t group, std::span<const float> numbers) {
  const std::int64_t rows = static_cast<std::int64_t>(numbers.size()) / columns_;
  const std::int64_t most =
      std::max(code_range_.highest - scale_.zero_point, scale_.zero_point - code_range_.lowest);
  // Sums of products of 8-bit values are exact in single precision.
  const bool is_narrow = rows * most * most < (std::int64_t{1} << 24);
  for (std::int64_t b = 0; b < block_count(); ++b) {
    const std::span<const float> block = numbers.subspan(static_cast<std::size_t>(b * max_columns));
    std::vector<double>& sums = sums_[static_cast<std::size_t>(group * block_count() + b)];
    const std::int64_t columns = block_columns(b);
    const CodeRows codes(block, rows, columns, columns_, scale_, code_range_);
    if (is_narrow) {
      codes.add_products<FloatLanes, float>(sums);
    } else {
      codes.add_products<DoubleLanes, double>(sums);
    }
  }
}

void InputMoments::merge(const InputMoments& other) {
  if (!other.waiting_.empty()) return merge(other.flushed());
  if (sums_.size() != other.sums_.size() || columns_ != other.columns_) {
    throw Error(ErrorCode::invalid, "sums of the inputs of different layers cannot be merged");
  }
  rows_ += other.rows_;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    for (std::size_t k = 0; k < sums_[i].size(); ++k) sums_[i][k] += other.sums_[i][k];
  }
}

std::vector<double> InputMoments::block(std::int64_t group, std::int64_t block) const {
  if (!waiting_.empty()) return flushed().block(group, block);
  const auto columns = static_cast<std::size_t>(block_columns(block));
  const auto& sums = sums_[static_cast<std::size_t>(group * block_count() + block)];
  std::vector<double> full(columns * columns);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t k = i; k < columns; ++k) {
      full[i * columns + k] = sums[i * columns + k];
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
  for (InputMoments& each : moments) each.flush();
  return moments;
}

}  // namespace ortool
