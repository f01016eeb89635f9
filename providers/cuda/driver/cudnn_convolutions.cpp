// Convolutions by cuDNN, opened at first use: the algorithm that it suggests, or the fastest.
#include <algorithm>
#include <array>
#include <cudnn.h>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "providers/cuda/driver/cuda_device.hpp"
#include "providers/cuda/driver/library_loader.hpp"
#include "providers/cuda/driver/primitive_cache.hpp"

namespace ortool::cuda {
namespace {

constexpr std::size_t most_workspace = std::size_t{256} << 20;
constexpr int most_algorithms = 4;

/// CALL(member, function): the functions of the library that are used.
#define ORTOOL_CUDNN_CALLS(CALL)                             \
  CALL(version, cudnnGetVersion)                             \
  CALL(create, cudnnCreate)                                  \
  CALL(destroy, cudnnDestroy)                                \
  CALL(set_stream, cudnnSetStream)                           \
  CALL(tensor_create, cudnnCreateTensorDescriptor)           \
  CALL(tensor_destroy, cudnnDestroyTensorDescriptor)         \
  CALL(tensor_set, cudnnSetTensor4dDescriptor)               \
  CALL(filter_create, cudnnCreateFilterDescriptor)           \
  CALL(filter_destroy, cudnnDestroyFilterDescriptor)         \
  CALL(filter_set, cudnnSetFilter4dDescriptor)               \
  CALL(conv_create, cudnnCreateConvolutionDescriptor)        \
  CALL(conv_destroy, cudnnDestroyConvolutionDescriptor)      \
  CALL(conv_set, cudnnSetConvolution2dDescriptor)            \
  CALL(conv_groups, cudnnSetConvolutionGroupCount)           \
  CALL(conv_math, cudnnSetConvolutionMathType)               \
  CALL(activation_create, cudnnCreateActivationDescriptor)   \
  CALL(activation_destroy, cudnnDestroyActivationDescriptor) \
  CALL(activation_set, cudnnSetActivationDescriptor)         \
  CALL(algorithms, cudnnGetConvolutionForwardAlgorithm_v7)   \
  CALL(forward, cudnnConvolutionForward)                     \
  CALL(fused, cudnnConvolutionBiasActivationForward)         \
  CALL(add, cudnnAddTensor)                                  \
  CALL(activate, cudnnActivationForward)

struct CudnnCalls {
  LibraryLoader library{{"libcudnn.so.9"}, "cuDNN 9"};
  ORTOOL_CUDNN_CALLS(ORTOOL_LIBRARY_MEMBER)

  CudnnCalls() { ORTOOL_CUDNN_CALLS(ORTOOL_LIBRARY_LOAD) }
};

void check_cudnn(cudnnStatus_t status, std::string_view call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw Error(ErrorCode::unsupported,
              format("cuDNN reports status {} in {}", static_cast<int>(status), call));
}

cudnnDataType_t cudnn_type_of(std::int32_t type) {
  return type == 10 ? CUDNN_DATA_HALF : type == 16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

int size_of(std::int64_t size) {
  return static_cast<int>(size);
}

struct CudnnConv : DevicePrimitive {
  const CudnnCalls* calls = nullptr;
  ConvDesc desc;
  cudnnTensorDescriptor_t input = nullptr;
  cudnnTensorDescriptor_t output = nullptr;
  cudnnTensorDescriptor_t bias = nullptr;
  cudnnFilterDescriptor_t weights = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  cudnnActivationDescriptor_t activation = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  std::size_t workspace = 0;
  bool is_fused = false;
  const void* zeros = nullptr;  ///< a bias, which the fused call needs

  ~CudnnConv() override {
    for (cudnnTensorDescriptor_t tensor : {input, output, bias}) {
      if (tensor != nullptr) calls->tensor_destroy(tensor);
    }
    if (weights != nullptr) calls->filter_destroy(weights);
    if (conv != nullptr) calls->conv_destroy(conv);
    if (activation != nullptr) calls->activation_destroy(activation);
  }
  std::int64_t workspace_bytes() const override { return static_cast<std::int64_t>(workspace); }

  /// The library's status.
  cudnnStatus_t run(cudnnHandle_t handle, const ConvPointers& p) const {
    const float one = 1;
    const float zero = 0;
    if (is_fused) {
      const float kept = desc.has_addend ? 1.0F : 0.0F;
      const void* addend = desc.has_addend ? p.addend : p.out;
      const void* own_bias = desc.has_bias ? p.bias : zeros;
      return calls->fused(handle, &one, input, p.input, weights, p.weights, conv, algorithm,
                          p.workspace, workspace, &kept, output, addend, bias, own_bias, activation,
                          output, p.out);
    }
    cudnnStatus_t status = calls->forward(handle, &one, input, p.input, weights, p.weights, conv,
                                          algorithm, p.workspace, workspace, &zero, output, p.out);
    if (status == CUDNN_STATUS_SUCCESS && desc.has_bias)
      status = calls->add(handle, &one, bias, p.bias, &one, output, p.out);
    if (status == CUDNN_STATUS_SUCCESS && desc.has_addend)
      status = calls->add(handle, &one, output, p.addend, &one, output, p.out);
    if (status == CUDNN_STATUS_SUCCESS && desc.has_relu)
      status = calls->activate(handle, activation, &one, output, p.out, &zero, output, p.out);
    return status;
  }
};

/// Memory of a device that grows.
class ScratchMemory {
 public:
  explicit ScratchMemory(Device& device) : device_(device) {}
  ~ScratchMemory() { release(); }
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  void release() {
    if (data_ != nullptr) device_.release(data_);
    data_ = nullptr;
    bytes_ = 0;
  }
  void* at_least(std::int64_t bytes) {
    if (bytes <= bytes_) return data_;
    release();
    data_ = device_.allocate(bytes, "a trial of a convolution");
    bytes_ = bytes;
    return data_;
  }

 private:
  Device& device_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

class CudnnFactory : public ConvFactory {
 public:
  explicit CudnnFactory(Device& device) : device_(device), scratch_(device), zeros_(device) {
    const cudnnStatus_t status = calls_.create(&handle_);
    if (status != CUDNN_STATUS_SUCCESS)
      throw Error(
          ErrorCode::provider_unavailable,
          format("cuDNN {} does not start: status {}", calls_.version(), static_cast<int>(status)));
  }
  ~CudnnFactory() override { calls_.destroy(handle_); }

  PrimitivePtr make(const ConvDesc& desc, DeviceStopwatch& timer) override {
    const std::lock_guard lock(mutex_);
    return made_.find_or_make(desc, [&]() -> PrimitivePtr {
      std::shared_ptr<CudnnConv> conv = describe(desc);
      if (conv != nullptr && !choose_algorithm(*conv, timer)) conv = nullptr;
      return conv;
    });
  }

  void release_scratch() override {
    const std::lock_guard lock(mutex_);
    scratch_.release();
    if (timings_ == nullptr) return;
    const std::string failure = timings_->store();
    if (!failure.empty()) log_warn(format("cuda: timings are not kept: {}", failure));
  }
  std::string version() const override { return format("cuDNN {}", calls_.version()); }
  void use(std::shared_ptr<TimingCache> timings) override {
    const std::lock_guard lock(mutex_);
    timings_ = std::move(timings);
  }

  void run(const DevicePrimitive& conv, const ConvPointers& p, CUstream_st* stream) override {
    const std::lock_guard lock(mutex_);
    check_cudnn(calls_.set_stream(handle_, stream), "cudnnSetStream");
    check_cudnn(static_cast<const CudnnConv&>(conv).run(handle_, p), "a convolution");
  }

 private:
  std::shared_ptr<CudnnConv> describe(const ConvDesc& desc) const {
    auto conv = std::make_shared<CudnnConv>();
    conv->calls = &calls_;
    conv->desc = desc;
    const cudnnDataType_t type = cudnn_type_of(desc.type);
    const cudnnTensorFormat_t order = desc.is_channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    bool is_good = true;
    const auto good = [&](cudnnStatus_t status) {
      is_good = is_good && status == CUDNN_STATUS_SUCCESS;
    };
    const auto tensor = [&](cudnnTensorDescriptor_t& made, std::int64_t n, std::int64_t c,
                            std::int64_t h, std::int64_t w) {
      good(calls_.tensor_create(&made));
      good(calls_.tensor_set(made, order, type, size_of(n), size_of(c), size_of(h), size_of(w)));
    };
    tensor(conv->input, desc.batch, desc.in_channels, desc.in[0], desc.in[1]);
    tensor(conv->output, desc.batch, desc.out_channels, desc.out[0], desc.out[1]);
    tensor(conv->bias, 1, desc.out_channels, 1, 1);
    good(calls_.filter_create(&conv->weights));
    good(calls_.filter_set(conv->weights, type, order, size_of(desc.out_channels),
                           size_of(desc.in_channels / desc.groups), size_of(desc.kernel[0]),
                           size_of(desc.kernel[1])));
    good(calls_.conv_create(&conv->conv));
    good(calls_.conv_set(conv->conv, size_of(desc.pad[0]), size_of(desc.pad[1]),
                         size_of(desc.stride[0]), size_of(desc.stride[1]),
                         size_of(desc.dilation[0]), size_of(desc.dilation[1]),
                         CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    good(calls_.conv_groups(conv->conv, size_of(desc.groups)));
    const bool is_exact = desc.type == 1 && !desc.uses_tf32;
    good(calls_.conv_math(conv->conv, is_exact ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH));
    good(calls_.activation_create(&conv->activation));
    good(calls_.activation_set(conv->activation,
                               desc.has_relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
                               CUDNN_PROPAGATE_NAN, 0));
    return is_good ? conv : nullptr;
  }

  /// A bias of zeros. It never shrinks or moves, since primitives point to it.
  const void* zeros_of(const ConvDesc& desc) {
    constexpr std::int64_t most_channels = 1 << 16;
    constexpr std::int64_t bytes = most_channels * 4;
    if (desc.out_channels > most_channels) return nullptr;
    void* memory = zeros_.at_least(bytes);
    if (!has_zeros_) {
      const std::vector<std::byte> clear(static_cast<std::size_t>(bytes));
      device_.write(memory, clear.data(), bytes);
      has_zeros_ = true;
    }
    return memory;
  }

  /// Tries the library's candidates, each fused and in steps: up to the first that runs, or all to
  /// find the fastest. False: none runs.
  bool choose_algorithm(CudnnConv& conv, DeviceStopwatch& timer) {
    std::array<cudnnConvolutionFwdAlgoPerf_t, most_algorithms> found = {};
    int count = 0;
    if (calls_.algorithms(handle_, conv.input, conv.weights, conv.conv, conv.output,
                          most_algorithms, &count, found.data()) != CUDNN_STATUS_SUCCESS)
      return false;
    const ConvDesc& desc = conv.desc;
    // The only one that adds a bias or a residual in its own call without Relu.
    if (!desc.has_relu && (desc.has_bias || desc.has_addend))
      std::stable_partition(found.begin(), found.begin() + count,
                            [](const cudnnConvolutionFwdAlgoPerf_t& each) {
                              return each.algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
                            });
    const std::int64_t element = desc.type == 1 ? 4 : 2;
    const std::int64_t in = desc.batch * desc.in_channels * desc.in[0] * desc.in[1] * element;
    const std::int64_t out = desc.batch * desc.out_channels * desc.out[0] * desc.out[1] * element;
    const std::int64_t kernel = desc.kernel[0] * desc.kernel[1];
    const std::int64_t weights =
        desc.out_channels * desc.in_channels / desc.groups * kernel * element;
    std::size_t workspace = 0;
    for (int i = 0; i < count; ++i) {
      if (found[static_cast<std::size_t>(i)].memory <= most_workspace)
        workspace = std::max(workspace, found[static_cast<std::size_t>(i)].memory);
    }
    constexpr std::int64_t alignment = 256;
    const auto rounded = [](std::int64_t bytes) {
      return (bytes + alignment - 1) / alignment * alignment;
    };
    auto* place = static_cast<std::byte*>(
        scratch_.at_least(rounded(in) + rounded(weights) + 2 * rounded(out) +
                          rounded(static_cast<std::int64_t>(workspace)) + alignment));
    const auto next = [&](std::int64_t bytes) {
      std::byte* own = place;
      place += rounded(bytes);
      return own;
    };
    conv.zeros = zeros_of(desc);
    ConvPointers pointers = {};
    pointers.input = next(in);
    pointers.weights = next(weights);
    pointers.out = next(out);
    pointers.addend = next(out);
    pointers.workspace = next(static_cast<std::int64_t>(workspace));
    pointers.bias = conv.zeros;
    calls_.set_stream(handle_, timer.stream());
    float best_time = -1;
    cudnnConvolutionFwdAlgo_t best_algorithm = conv.algorithm;
    std::size_t best_workspace = 0;
    bool is_best_fused = false;
    const std::optional<ConvChoice> kept =
        desc.is_tuned && timings_ != nullptr ? timings_->find(desc) : std::nullopt;
    if (kept &&
        take_kept(conv, *kept, std::span(found).first(static_cast<std::size_t>(count)), pointers))
      return true;
    for (int i = 0; i < count && (best_time < 0 || desc.is_tuned); ++i) {
      const cudnnConvolutionFwdAlgoPerf_t& candidate = found[static_cast<std::size_t>(i)];
      if (candidate.status != CUDNN_STATUS_SUCCESS || candidate.memory > most_workspace) continue;
      for (const bool is_fused : {true, false}) {
        const bool is_precomp = candidate.algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
        if (is_fused && ((!desc.has_relu && !is_precomp) || conv.zeros == nullptr)) continue;
        if (best_time >= 0 && !desc.is_tuned) break;
        conv.algorithm = candidate.algo;
        conv.workspace = candidate.memory;
        conv.is_fused = is_fused;
        const float time = desc.is_tuned ? measure(conv, pointers, timer) : attempt(conv, pointers);
        if (time < 0 || (best_time >= 0 && time >= best_time)) continue;
        best_time = time;
        best_algorithm = candidate.algo;
        best_workspace = candidate.memory;
        is_best_fused = is_fused;
      }
    }
    conv.algorithm = best_algorithm;
    conv.workspace = best_workspace;
    conv.is_fused = is_best_fused;
    if (best_time >= 0 && desc.is_tuned && timings_ != nullptr)
      timings_->add(desc, {static_cast<std::int32_t>(best_algorithm), is_best_fused});
    return best_time >= 0;
  }

  /// Whether the library still offers the algorithm that earlier trials chose, and runs it.
  bool take_kept(CudnnConv& conv, const ConvChoice& kept,
                 std::span<const cudnnConvolutionFwdAlgoPerf_t> offered,
                 const ConvPointers& pointers) const {
    if (kept.is_fused && conv.zeros == nullptr) return false;
    for (const cudnnConvolutionFwdAlgoPerf_t& candidate : offered) {
      if (static_cast<std::int32_t>(candidate.algo) != kept.algorithm ||
          candidate.status != CUDNN_STATUS_SUCCESS || candidate.memory > most_workspace)
        continue;
      const bool is_precomp = candidate.algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
      if (kept.is_fused && !conv.desc.has_relu && !is_precomp) return false;
      conv.algorithm = candidate.algo;
      conv.workspace = candidate.memory;
      conv.is_fused = kept.is_fused;
      return attempt(conv, pointers) >= 0;
    }
    return false;
  }

  /// 0; -1: the library does not have it.
  float attempt(const CudnnConv& conv, const ConvPointers& pointers) const {
    return conv.run(handle_, pointers) == CUDNN_STATUS_SUCCESS ? 0.0F : -1.0F;
  }

  /// Milliseconds of one call; -1: the library does not have it.
  float measure(const CudnnConv& conv, const ConvPointers& pointers, DeviceStopwatch& timer) const {
    constexpr int repeats = 3;
    if (conv.run(handle_, pointers) != CUDNN_STATUS_SUCCESS) return -1;
    timer.start();
    for (int i = 0; i < repeats; ++i) {
      if (conv.run(handle_, pointers) != CUDNN_STATUS_SUCCESS) return -1;
    }
    return timer.stop() / repeats;
  }

  CudnnCalls calls_;
  cudnnHandle_t handle_ = nullptr;
  Device& device_;
  ScratchMemory scratch_;
  ScratchMemory zeros_;
  bool has_zeros_ = false;
  std::shared_ptr<TimingCache> timings_;  ///< null: trials are not kept
  std::mutex mutex_;
  PrimitiveCache<ConvDesc, PrimitivePtr> made_;
};

}  // namespace

std::unique_ptr<ConvFactory> open_cudnn(Device& device) {
  return std::make_unique<CudnnFactory>(device);
}

}  // namespace ortool::cuda
