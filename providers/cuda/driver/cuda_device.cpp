// CUDA device: memory, streams, events and graphs of one GPU.
#include "providers/cuda/driver/cuda_device.hpp"

#include <array>
#include <atomic>
#include <cuda.h>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "providers/cuda/device/open_device.hpp"
#include "providers/cuda/driver/device_code_image.hpp"
#include "providers/cuda/driver/driver_calls.hpp"
#include "providers/cuda/driver/nvml_clocks.hpp"

namespace ortool::cuda {
namespace {

constexpr int least_driver = 12000;
constexpr int least_capability = 80;

CUdeviceptr address_of(const void* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

struct CudaGraph : DeviceGraph {
  const DriverCalls* calls = nullptr;
  CUgraphExec executable = nullptr;
  ~CudaGraph() override {
    if (executable != nullptr) calls->graph_exec_destroy(executable);
  }
};

class CudaDevice;

class CudaStream : public DeviceStream {
 public:
  explicit CudaStream(std::shared_ptr<CudaDevice> device);
  ~CudaStream() override;

  void launch(KernelId kernel, std::int64_t blocks, int threads, const void* params,
              std::size_t bytes) override;
  void multiply(const DevicePrimitive& product, const ProductPointers& pointers) override;
  void convolve(const DevicePrimitive& conv, const ConvPointers& pointers) override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void copy(void* to, const void* from, std::int64_t bytes) override;
  void clear(void* to, std::int64_t bytes) override;
  void synchronize() override;
  void begin_capture() override;
  std::unique_ptr<DeviceGraph> end_capture() override;
  void replay(const DeviceGraph& graph) override;
  void mark(std::size_t number) override;
  std::int64_t between(std::size_t from, std::size_t to) override;

 private:
  std::shared_ptr<CudaDevice> device_;
  const DriverCalls& calls_;
  CUstream stream_ = nullptr;
  std::vector<CUevent> events_;  ///< by the moments that they note; null: not yet
};

class CudaStopwatch : public DeviceStopwatch {
 public:
  explicit CudaStopwatch(const DriverCalls& calls) : calls_(calls) {
    calls_.check(calls_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    calls_.event_create(&begin_, CU_EVENT_DEFAULT);
    calls_.event_create(&end_, CU_EVENT_DEFAULT);
  }
  ~CudaStopwatch() override {
    calls_.event_destroy(begin_);
    calls_.event_destroy(end_);
    calls_.stream_destroy(stream_);
  }
  CUstream_st* stream() override { return stream_; }
  void start() override { calls_.event_record(begin_, stream_); }
  float stop() override {
    float milliseconds = 0;
    calls_.event_record(end_, stream_);
    calls_.check(calls_.event_wait(end_), "a trial");
    calls_.event_time(&milliseconds, begin_, end_);
    return milliseconds;
  }

 private:
  const DriverCalls& calls_;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
};

class CudaDevice : public Device, public std::enable_shared_from_this<CudaDevice> {
 public:
  CudaDevice(std::int64_t number, std::int64_t limit_bytes) : limit_(limit_bytes) {
    open(number);
    products_ = open_cublas();
    convolutions_ = open_cudnn(*this);
    load_kernels();
  }
  ~CudaDevice() override {
    calls_.context_set(context_);
    convolutions_.reset();
    products_.reset();
    timer_.reset();
    if (module_ != nullptr) calls_.module_unload(module_);
    calls_.context_release(device_);
  }

  std::string description() const override { return description_; }
  int compute_capability() const override { return capability_; }

  void* allocate(std::int64_t bytes, std::string_view purpose) override {
    make_current();
    const std::lock_guard lock(mutex_);
    if (limit_ > 0 && used_ + bytes > limit_) fail_memory(bytes, purpose, limit_ - used_, limit_);
    CUdeviceptr memory = 0;
    const CUresult result = calls_.allocate(&memory, static_cast<std::size_t>(bytes));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      std::size_t free_bytes = 0;
      std::size_t all = 0;
      calls_.memory_info(&free_bytes, &all);
      fail_memory(bytes, purpose, static_cast<std::int64_t>(free_bytes),
                  static_cast<std::int64_t>(all));
    }
    calls_.check(result, "cuMemAlloc");
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    void* address = reinterpret_cast<void*>(memory);
    sizes_[address] = bytes;
    return address;
  }
  void release(void* memory) noexcept override {
    calls_.context_set(context_);
    const std::lock_guard lock(mutex_);
    calls_.release(address_of(memory));
    const auto found = sizes_.find(memory);
    if (found == sizes_.end()) return;
    used_ -= found->second;
    sizes_.erase(found);
  }
  void* allocate_staging(std::int64_t bytes) override {
    make_current();
    void* memory = nullptr;
    calls_.check(calls_.host_allocate(&memory, static_cast<std::size_t>(bytes), 0),
                 "cuMemHostAlloc");
    return memory;
  }
  void release_staging(void* memory) noexcept override {
    calls_.context_set(context_);
    calls_.host_release(memory);
  }
  DeviceMemory memory() const override {
    const std::lock_guard lock(mutex_);
    return {used_, peak_, limit_, total_};
  }
  std::optional<DeviceClocks> clocks() override {
    std::call_once(clocks_once_, [this] {
      try {
        std::array<char, 32> bus_id = {};
        calls_.check(calls_.device_bus_id(bus_id.data(), static_cast<int>(bus_id.size()), device_),
                     "cuDeviceGetPCIBusId");
        clocks_ = std::make_unique<const NvmlClocks>(bus_id.data());
      } catch (const Error& error) {
        log_debug(format("cuda: the clocks of the GPU are not known: {}", error.message()));
      }
    });
    return clocks_ != nullptr ? std::optional(clocks_->read()) : std::nullopt;
  }
  void write(void* to, const void* from, std::int64_t bytes) override {
    make_current();
    calls_.check(calls_.write(address_of(to), from, static_cast<std::size_t>(bytes)),
                 "a copy to the device");
  }
  void read(void* to, const void* from, std::int64_t bytes) override {
    make_current();
    calls_.check(calls_.read(to, address_of(from), static_cast<std::size_t>(bytes)),
                 "a copy from the device");
  }
  bool owns(const void* address) const override {
    const std::lock_guard lock(mutex_);
    return sizes_.contains(const_cast<void*>(address));
  }
  std::unique_ptr<DeviceStream> make_stream() override {
    make_current();
    return std::make_unique<CudaStream>(shared_from_this());
  }
  PrimitivePtr make_product(const ProductDesc& desc) override {
    make_current();
    return products_->make(desc);
  }
  PrimitivePtr make_conv(const ConvDesc& desc) override {
    make_current();
    const std::lock_guard lock(timer_mutex_);
    if (timer_ == nullptr) timer_ = std::make_unique<CudaStopwatch>(calls_);
    return convolutions_->make(desc, *timer_);
  }
  void release_scratch() override {
    make_current();
    convolutions_->release_scratch();
  }
  void keep_timings(const std::string& folder) override {
    convolutions_->use(std::make_shared<TimingCache>(
        folder, format("{}, {}", description_, convolutions_->version())));
  }

  const DriverCalls& calls() const { return calls_; }
  ProductFactory& products() { return *products_; }
  ConvFactory& convolutions() { return *convolutions_; }
  CUfunction function(KernelId kernel) const {
    return functions_[static_cast<std::size_t>(kernel)];
  }
  void make_current() const { calls_.check(calls_.context_set(context_), "cuCtxSetCurrent"); }

 private:
  void open(std::int64_t number) {
    const auto refuse = [](std::string reason) {
      throw Error(ErrorCode::provider_unavailable, std::move(reason));
    };
    if (const CUresult result = calls_.init(0); result != CUDA_SUCCESS)
      refuse(format("the NVIDIA driver does not start: {}", calls_.name_of(result)));
    int version = 0;
    calls_.driver_version(&version);
    const std::string driver = format("{}.{}", version / 1000, version % 1000 / 10);
    if (version < least_driver)
      refuse(format("the NVIDIA driver is for CUDA {} (wanted: 12.0 or later)", driver));
    int count = 0;
    calls_.device_count(&count);
    if (count == 0) refuse("there is no NVIDIA GPU");
    if (number >= count) refuse(format("there is no GPU {}, only {} of them", number, count));
    calls_.check(calls_.device_get(&device_, static_cast<int>(number)), "cuDeviceGet");
    int major = 0;
    int minor = 0;
    calls_.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
    calls_.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
    std::array<char, 256> name = {};
    calls_.device_name(name.data(), static_cast<int>(name.size()) - 1, device_);
    capability_ = 10 * major + minor;
    if (capability_ < least_capability)
      refuse(format("{} has compute capability {}.{} (wanted: 8.0 or later)", name.data(), major,
                    minor));
    description_ = format("{}, compute capability {}.{}, driver for CUDA {}", name.data(), major,
                          minor, driver);
    calls_.check(calls_.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    make_current();
    std::size_t free_bytes = 0;
    std::size_t all = 0;
    calls_.memory_info(&free_bytes, &all);
    total_ = static_cast<std::int64_t>(all);
  }

  void load_kernels() {
    const CUresult result = calls_.module_load(&module_, device_code_image());
    if (result != CUDA_SUCCESS)
      throw Error(ErrorCode::provider_unavailable,
                  format("the GPU does not take this build's kernels: {} (built for other compute "
                         "capabilities)",
                         calls_.name_of(result)));
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const std::string name =
          std::string("ortool_") + kernel_name(static_cast<KernelId>(static_cast<std::int32_t>(i)));
      calls_.check(calls_.module_function(&functions_[i], module_, name.c_str()), name);
    }
  }

  [[noreturn]] static void fail_memory(std::int64_t bytes, std::string_view purpose,
                                       std::int64_t left, std::int64_t all) {
    throw Error(ErrorCode::memory_limit,
                format("{} needs {} bytes of the GPU's memory, of which {} of {} are free", purpose,
                       bytes, left, all),
                "use smaller batches, or raise --provider-option cuda.memory-limit");
  }

  DriverCalls calls_;
  CUdevice device_ = 0;
  int capability_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::array<CUfunction, static_cast<std::size_t>(KernelId::count)> functions_ = {};
  std::unique_ptr<ProductFactory> products_;
  std::unique_ptr<ConvFactory> convolutions_;
  std::mutex timer_mutex_;
  std::unique_ptr<CudaStopwatch> timer_;
  std::once_flag clocks_once_;
  std::unique_ptr<const NvmlClocks> clocks_;
  std::string description_;
  std::int64_t limit_;
  std::int64_t total_ = 0;
  mutable std::mutex mutex_;
  std::int64_t used_ = 0;
  std::int64_t peak_ = 0;
  std::unordered_map<void*, std::int64_t> sizes_;
};

CudaStream::CudaStream(std::shared_ptr<CudaDevice> device)
    : device_(std::move(device)), calls_(device_->calls()) {
  calls_.check(calls_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

CudaStream::~CudaStream() {
  for (CUevent event : events_) {
    if (event != nullptr) calls_.event_destroy(event);
  }
  calls_.stream_destroy(stream_);
}

void CudaStream::launch(KernelId kernel, std::int64_t blocks, int threads, const void* params,
                        std::size_t bytes) {
  device_->make_current();
  std::size_t size = bytes;
  std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(params),
                                CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  calls_.check(
      calls_.launch(device_->function(kernel), static_cast<unsigned>(blocks), 1, 1,
                    static_cast<unsigned>(threads), 1, 1, 0, stream_, nullptr, extra.data()),
      kernel_name(kernel));
}

void CudaStream::multiply(const DevicePrimitive& product, const ProductPointers& pointers) {
  device_->make_current();
  device_->products().run(product, pointers, stream_);
}

void CudaStream::convolve(const DevicePrimitive& conv, const ConvPointers& pointers) {
  device_->make_current();
  device_->convolutions().run(conv, pointers, stream_);
}

void CudaStream::upload(void* to, const void* from, std::int64_t bytes) {
  device_->make_current();
  calls_.check(calls_.upload(address_of(to), from, static_cast<std::size_t>(bytes), stream_),
               "a copy to the device");
}

void CudaStream::download(void* to, const void* from, std::int64_t bytes) {
  device_->make_current();
  calls_.check(calls_.download(to, address_of(from), static_cast<std::size_t>(bytes), stream_),
               "a copy from the device");
}

void CudaStream::copy(void* to, const void* from, std::int64_t bytes) {
  device_->make_current();
  calls_.check(
      calls_.copy(address_of(to), address_of(from), static_cast<std::size_t>(bytes), stream_),
      "a copy on the device");
}

void CudaStream::clear(void* to, std::int64_t bytes) {
  device_->make_current();
  calls_.check(calls_.clear(address_of(to), 0, static_cast<std::size_t>(bytes), stream_),
               "cuMemsetD8Async");
}

void CudaStream::synchronize() {
  device_->make_current();
  calls_.check(calls_.stream_wait(stream_), "a run");
}

void CudaStream::begin_capture() {
  device_->make_current();
  calls_.check(calls_.capture_begin(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "cuStreamBeginCapture");
}

std::unique_ptr<DeviceGraph> CudaStream::end_capture() {
  CUgraph graph = nullptr;
  calls_.check(calls_.capture_end(stream_, &graph), "cuStreamEndCapture");
  auto captured = std::make_unique<CudaGraph>();
  captured->calls = &calls_;
  const CUresult result = calls_.graph_instantiate(&captured->executable, graph, 0);
  calls_.graph_destroy(graph);
  calls_.check(result, "cuGraphInstantiate");
  return captured;
}

void CudaStream::replay(const DeviceGraph& graph) {
  device_->make_current();
  calls_.check(calls_.graph_launch(static_cast<const CudaGraph&>(graph).executable, stream_),
               "cuGraphLaunch");
}

void CudaStream::mark(std::size_t number) {
  device_->make_current();
  if (events_.size() <= number) events_.resize(number + 1, nullptr);
  CUevent& event = events_[number];
  if (event == nullptr)
    calls_.check(calls_.event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  calls_.check(calls_.event_record(event, stream_), "cuEventRecord");
}

std::int64_t CudaStream::between(std::size_t from, std::size_t to) {
  device_->make_current();
  constexpr double nanoseconds_a_millisecond = 1e6;
  float milliseconds = 0;
  calls_.check(calls_.event_time(&milliseconds, events_.at(from), events_.at(to)),
               "cuEventElapsedTime");
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * nanoseconds_a_millisecond);
}

}  // namespace

std::shared_ptr<Device> open_cuda_device(std::int64_t number, std::int64_t limit_bytes) {
  return std::make_shared<CudaDevice>(number, limit_bytes);
}

}  // namespace ortool::cuda
