// Emulated device: memory with guards, streams that run at once, products and convolutions.
#include "tests/cuda_emulation/emulated_device.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "providers/cuda/kernels/device_code.hpp"

namespace ortool::test {
namespace {

using namespace cuda;

constexpr std::int64_t guard_bytes = 256;
constexpr unsigned char guard = 0xC5;
/// Memory starts with this, since a GPU's is not cleared.
constexpr int dirt = 0x7F;

struct EmulatedProduct : DevicePrimitive {
  explicit EmulatedProduct(const ProductDesc& product) : desc(product) {}
  std::int64_t workspace_bytes() const override { return 64; }
  ProductDesc desc;
};

struct EmulatedConv : DevicePrimitive {
  explicit EmulatedConv(const ConvDesc& conv) : desc(conv) {}
  std::int64_t workspace_bytes() const override { return 64; }
  ConvDesc desc;
};

/// Commands of a capture, run by each replay.
struct EmulatedGraph : DeviceGraph {
  std::vector<std::function<void()>> commands;
};

double element(const void* data, std::int32_t type, std::int64_t index) {
  return load<double>(AnyStore(), data, type, index);
}

void multiply_integers(const ProductDesc& desc, const ProductPointers& p) {
  const auto* a = static_cast<const std::int8_t*>(p.a);
  const auto* b = static_cast<const std::int8_t*>(p.b);
  auto* out = static_cast<std::int32_t*>(p.out);
  for (std::int64_t row = 0; row < desc.batch * desc.m; ++row) {
    const std::int64_t batch = row / desc.m;
    const std::int8_t* left = a + batch * desc.a_stride + row % desc.m * desc.k;
    for (std::int64_t j = 0; j < desc.n; ++j) {
      const std::int8_t* right = b + batch * desc.b_stride + j * desc.k;
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < desc.k; ++k) sum += left[k] * right[k];
      out[row * desc.n + j] = sum;
    }
  }
}

/// Decoded, with sums in float32.
void multiply_float8(const ProductDesc& desc, const ProductPointers& p) {
  constexpr std::uintptr_t alignment = 16;
  for (const void* operand : {p.a, p.b})
    ORTOOL_CHECK(reinterpret_cast<std::uintptr_t>(operand) % alignment == 0);
  const auto* a = static_cast<const std::uint8_t*>(p.a);
  const auto* b = static_cast<const std::uint8_t*>(p.b);
  const float scale = *static_cast<const float*>(p.a_scale) * *static_cast<const float*>(p.b_scale);
  for (std::int64_t row = 0; row < desc.batch * desc.m; ++row) {
    const std::int64_t batch = row / desc.m;
    const std::uint8_t* left = a + batch * desc.a_stride + row % desc.m * desc.k;
    for (std::int64_t j = 0; j < desc.n; ++j) {
      const std::uint8_t* right = b + batch * desc.b_stride + j * desc.k;
      float sum = 0;
      for (std::int64_t k = 0; k < desc.k; ++k)
        sum += float_of_float8(desc.type, left[k]) * float_of_float8(desc.b_type, right[k]);
      sum *= scale * desc.alpha;
      if (desc.has_addend)
        sum += load<float>(AnyStore(), p.addend, desc.out_type,
                           batch * desc.addend_stride + row % desc.m * desc.n + j);
      if (desc.has_bias)
        sum += load<float>(AnyStore(), p.bias, desc.out_type, batch * desc.bias_stride + j);
      if (desc.has_relu && sum < 0) sum = 0;
      store(AnyStore(), p.out, desc.out_type, row * desc.n + j, sum);
    }
  }
}

void multiply_matrices(const ProductDesc& desc, const ProductPointers& p) {
  if (desc.type == element_i8) return multiply_integers(desc, p);
  if (is_float8(desc.type)) return multiply_float8(desc, p);
  for (std::int64_t batch = 0; batch < desc.batch; ++batch) {
    for (std::int64_t i = 0; i < desc.m; ++i) {
      for (std::int64_t j = 0; j < desc.n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < desc.k; ++k) {
          const std::int64_t a = desc.transpose_a ? k * desc.m + i : i * desc.k + k;
          const std::int64_t b = desc.transpose_b ? j * desc.k + k : k * desc.n + j;
          sum += element(p.a, desc.type, batch * desc.a_stride + a) *
                 element(p.b, desc.type, batch * desc.b_stride + b);
        }
        sum *= static_cast<double>(desc.alpha);
        if (desc.has_addend)
          sum += element(p.addend, desc.type, batch * desc.addend_stride + i * desc.n + j);
        if (desc.has_bias) sum += element(p.bias, desc.type, batch * desc.bias_stride + j);
        if (desc.has_relu && sum < 0) sum = 0;
        store(AnyStore(), p.out, desc.type, (batch * desc.m + i) * desc.n + j, sum);
      }
    }
  }
}

/// The place of an element, by the order of axes.
std::int64_t place_of(bool is_channels_last, std::int64_t channels, const std::int64_t (&size)[2],
                      std::int64_t image, std::int64_t channel, std::int64_t y, std::int64_t x) {
  return is_channels_last ? ((image * size[0] + y) * size[1] + x) * channels + channel
                          : ((image * channels + channel) * size[0] + y) * size[1] + x;
}

double conv_element(const ConvDesc& desc, const ConvPointers& p, std::int64_t image,
                    std::int64_t channel, std::int64_t y, std::int64_t x) {
  const std::int64_t in_group = desc.in_channels / desc.groups;
  const std::int64_t group = channel / (desc.out_channels / desc.groups);
  double sum = 0;
  for (std::int64_t c = 0; c < in_group; ++c) {
    for (std::int64_t i = 0; i < desc.kernel[0]; ++i) {
      const std::int64_t row = y * desc.stride[0] - desc.pad[0] + i * desc.dilation[0];
      if (row < 0 || row >= desc.in[0]) continue;
      for (std::int64_t j = 0; j < desc.kernel[1]; ++j) {
        const std::int64_t column = x * desc.stride[1] - desc.pad[1] + j * desc.dilation[1];
        if (column < 0 || column >= desc.in[1]) continue;
        const bool is_last = desc.is_channels_last;
        const std::int64_t from =
            place_of(is_last, desc.in_channels, desc.in, image, group * in_group + c, row, column);
        const std::int64_t weight = place_of(is_last, in_group, desc.kernel, channel, c, i, j);
        sum += element(p.input, desc.type, from) * element(p.weights, desc.type, weight);
      }
    }
  }
  return sum;
}

void convolve_images(const ConvDesc& desc, const ConvPointers& p) {
  for (std::int64_t image = 0; image < desc.batch; ++image) {
    for (std::int64_t channel = 0; channel < desc.out_channels; ++channel) {
      for (std::int64_t y = 0; y < desc.out[0]; ++y) {
        for (std::int64_t x = 0; x < desc.out[1]; ++x) {
          const std::int64_t at =
              place_of(desc.is_channels_last, desc.out_channels, desc.out, image, channel, y, x);
          double sum = conv_element(desc, p, image, channel, y, x);
          if (desc.has_addend) sum += element(p.addend, desc.type, at);
          if (desc.has_bias) sum += element(p.bias, desc.type, channel);
          if (desc.has_relu && sum < 0) sum = 0;
          store(AnyStore(), p.out, desc.type, at, sum);
        }
      }
    }
  }
}

class EmulatedStream : public DeviceStream {
 public:
  explicit EmulatedStream(EmulatedDevice& device) : device_(device) {}

  void launch(KernelId kernel, std::int64_t blocks, int threads, const void* params,
              std::size_t bytes) override {
    ORTOOL_CHECK(blocks > 0 && threads > 0 && threads <= 1024);
    const auto* begin = static_cast<const std::byte*>(params);
    std::vector<std::byte> own(begin, begin + bytes);
    run([this, kernel, blocks, threads, own = std::move(own)] {
      const std::int64_t number = device_.counts().launches++;
      if (number == device_.options().failing_launch)
        throw Error(ErrorCode::invalid, "the emulated device failed");
      run_emulated_kernel(kernel, blocks, threads, own.data(), own.size(),
                          device_.options().runs_backward);
    });
  }
  void multiply(const DevicePrimitive& product, const ProductPointers& pointers) override {
    const ProductDesc& desc = dynamic_cast<const EmulatedProduct&>(product).desc;
    run([this, &desc, pointers] {
      ++device_.counts().products;
      if (is_float8(desc.type)) ++device_.counts().float8_products;
      multiply_matrices(desc, pointers);
    });
  }
  void convolve(const DevicePrimitive& conv, const ConvPointers& pointers) override {
    const ConvDesc& desc = dynamic_cast<const EmulatedConv&>(conv).desc;
    run([this, &desc, pointers] {
      ++device_.counts().convolutions;
      convolve_images(desc, pointers);
    });
  }
  void upload(void* to, const void* from, std::int64_t bytes) override {
    run([this, to, from, bytes] {
      ++device_.counts().uploads;
      device_.counts().uploaded_bytes += bytes;
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    });
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    run([this, to, from, bytes] {
      ++device_.counts().downloads;
      device_.counts().downloaded_bytes += bytes;
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    });
  }
  void copy(void* to, const void* from, std::int64_t bytes) override {
    run([this, to, from, bytes] {
      ++device_.counts().copies;
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    });
  }
  void clear(void* to, std::int64_t bytes) override {
    run([to, bytes] { std::memset(to, 0, static_cast<std::size_t>(bytes)); });
  }
  void synchronize() override {
    ORTOOL_CHECK(capture_ == nullptr);
    device_.check_guards();
  }
  void begin_capture() override {
    ORTOOL_CHECK(capture_ == nullptr);
    capture_ = std::make_unique<EmulatedGraph>();
  }
  std::unique_ptr<DeviceGraph> end_capture() override {
    ++device_.counts().captures;
    return std::move(capture_);
  }
  void replay(const DeviceGraph& graph) override {
    ++device_.counts().replays;
    for (const auto& command : dynamic_cast<const EmulatedGraph&>(graph).commands) command();
  }
  void mark(std::size_t number) override {
    ORTOOL_CHECK(capture_ == nullptr);
    if (marks_.size() <= number) marks_.resize(number + 1);
    marks_[number] = std::chrono::steady_clock::now();
  }
  std::int64_t between(std::size_t from, std::size_t to) override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(marks_.at(to) - marks_.at(from))
        .count();
  }

 private:
  void run(std::function<void()> command) {
    if (capture_ != nullptr) {
      capture_->commands.push_back(std::move(command));
    } else {
      command();
    }
  }

  EmulatedDevice& device_;
  std::unique_ptr<EmulatedGraph> capture_;
  std::vector<std::chrono::steady_clock::time_point> marks_;
};

}  // namespace

EmulatedDevice::~EmulatedDevice() {
  ORTOOL_CHECK(sizes_.empty());
}

void* EmulatedDevice::allocate(std::int64_t bytes, std::string_view purpose) {
  const std::lock_guard lock(mutex_);
  if (options_.limit_bytes > 0 && memory_.used_bytes + bytes > options_.limit_bytes)
    throw Error(ErrorCode::memory_limit,
                format("{} needs {} bytes of the device's memory, of which {} of {} are in use",
                       purpose, bytes, memory_.used_bytes, options_.limit_bytes));
  auto* whole = static_cast<std::byte*>(std::aligned_alloc(
      256, static_cast<std::size_t>((bytes + 2 * guard_bytes + 255) / 256 * 256)));
  ORTOOL_CHECK(whole != nullptr);
  std::memset(whole, guard, guard_bytes);
  std::memset(whole + guard_bytes, dirt, static_cast<std::size_t>(bytes));
  std::memset(whole + guard_bytes + bytes, guard, guard_bytes);
  void* memory = whole + guard_bytes;
  sizes_[memory] = bytes;
  memory_.used_bytes += bytes;
  memory_.peak_bytes = std::max(memory_.peak_bytes, memory_.used_bytes);
  return memory;
}

void EmulatedDevice::release(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = sizes_.find(memory);
  ORTOOL_CHECK(found != sizes_.end());
  memory_.used_bytes -= found->second;
  sizes_.erase(found);
  std::free(static_cast<std::byte*>(memory) - guard_bytes);
}

void* EmulatedDevice::allocate_staging(std::int64_t bytes) {
  void* memory = std::malloc(static_cast<std::size_t>(bytes));
  ORTOOL_CHECK(memory != nullptr);
  return memory;
}

void EmulatedDevice::release_staging(void* memory) noexcept {
  std::free(memory);
}

std::optional<DeviceClocks> EmulatedDevice::clocks() {
  ++counts_.clock_reads;
  return DeviceClocks{.clock_mhz = 1410,
                      .max_clock_mhz = 1980,
                      .memory_clock_mhz = 2619,
                      .max_memory_clock_mhz = 2619,
                      .temperature_c = 61,
                      .throttled_by = std::vector<std::string>{"power limit"}};
}

DeviceMemory EmulatedDevice::memory() const {
  const std::lock_guard lock(mutex_);
  DeviceMemory memory = memory_;
  memory.limit_bytes = options_.limit_bytes;
  return memory;
}

void EmulatedDevice::write(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void EmulatedDevice::read(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

bool EmulatedDevice::owns(const void* address) const {
  const std::lock_guard lock(mutex_);
  return sizes_.contains(const_cast<void*>(address));
}

std::unique_ptr<DeviceStream> EmulatedDevice::make_stream() {
  return std::make_unique<EmulatedStream>(*this);
}

PrimitivePtr EmulatedDevice::make_product(const ProductDesc& desc) {
  if (desc.type == element_i8) {
    if (!options_.has_byte_products)
      throw Error(ErrorCode::unsupported, "the emulated library has no products of int8");
    // As cuBLASLt demands.
    ORTOOL_CHECK(desc.transpose_b && !desc.transpose_a && desc.n % 4 == 0 && desc.k % 4 == 0);
    ORTOOL_CHECK(!desc.has_bias && !desc.has_addend && !desc.has_relu && desc.alpha == 1.0F);
  }
  if (is_float8(desc.type)) {
    const bool is_plain = !desc.has_bias && !desc.has_addend && !desc.has_relu;
    constexpr int least_capability = 89;
    if (!options_.has_float8_products || (!options_.has_float8_epilogues && !is_plain) ||
        options_.compute_capability < least_capability)
      throw Error(ErrorCode::unsupported, "the emulated library has no such product of float8");
    // As cuBLASLt demands.
    ORTOOL_CHECK(desc.transpose_b && !desc.transpose_a && desc.n % 16 == 0 && desc.k % 16 == 0);
    ORTOOL_CHECK(is_float8(desc.b_type) &&
                 !(desc.type == element_f8e5m2 && desc.b_type == element_f8e5m2));
    ORTOOL_CHECK(desc.out_type == element_f32 || desc.out_type == element_f16 ||
                 desc.out_type == element_bf16);
    ORTOOL_CHECK(!desc.has_bias || desc.out_type != element_f32);
  }
  return std::make_shared<const EmulatedProduct>(desc);
}

PrimitivePtr EmulatedDevice::make_conv(const ConvDesc& desc) {
  return std::make_shared<const EmulatedConv>(desc);
}

std::int64_t EmulatedDevice::live_allocations() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(sizes_.size());
}

void EmulatedDevice::check_guards() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [memory, bytes] : sizes_) {
    const auto* begin = static_cast<const unsigned char*>(memory);
    for (std::int64_t i = 0; i < guard_bytes; ++i)
      ORTOOL_CHECK(begin[i - guard_bytes] == guard && begin[bytes + i] == guard);
  }
}

}  // namespace ortool::test
