// Products by cuBLASLt, opened at first use.
#include <array>
#include <cublasLt.h>
#include <mutex>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "providers/cuda/driver/cuda_device.hpp"
#include "providers/cuda/driver/library_loader.hpp"
#include "providers/cuda/driver/primitive_cache.hpp"

namespace ortool::cuda {
namespace {

constexpr std::size_t most_workspace = std::size_t{32} << 20;
constexpr std::size_t least_version = 120000;

/// CALL(member, function): the functions of the library that are used, but its version.
#define ORTOOL_CUBLAS_CALLS(CALL)                            \
  CALL(create, cublasLtCreate)                               \
  CALL(destroy, cublasLtDestroy)                             \
  CALL(matmul, cublasLtMatmul)                               \
  CALL(desc_create, cublasLtMatmulDescCreate)                \
  CALL(desc_destroy, cublasLtMatmulDescDestroy)              \
  CALL(desc_set, cublasLtMatmulDescSetAttribute)             \
  CALL(layout_create, cublasLtMatrixLayoutCreate)            \
  CALL(layout_destroy, cublasLtMatrixLayoutDestroy)          \
  CALL(layout_set, cublasLtMatrixLayoutSetAttribute)         \
  CALL(preference_create, cublasLtMatmulPreferenceCreate)    \
  CALL(preference_destroy, cublasLtMatmulPreferenceDestroy)  \
  CALL(preference_set, cublasLtMatmulPreferenceSetAttribute) \
  CALL(heuristic, cublasLtMatmulAlgoGetHeuristic)

struct CublasCalls {
  LibraryLoader library{{"libcublasLt.so.13", "libcublasLt.so.12"}, "cuBLASLt 12 or 13"};
  decltype(cublasLtGetVersion)* version;
  ORTOOL_CUBLAS_CALLS(ORTOOL_LIBRARY_MEMBER)

  CublasCalls() {
    library.load(version, "cublasLtGetVersion");
    if (version() < least_version)
      throw Error(ErrorCode::provider_unavailable,
                  format("cuBLASLt {} is too old (wanted: 12.0 or later)", version()));
    ORTOOL_CUBLAS_CALLS(ORTOOL_LIBRARY_LOAD)
  }
};

void check_cublas(cublasStatus_t status, std::string_view call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorCode::unsupported,
              format("cuBLASLt reports status {} in {}", static_cast<int>(status), call));
}

constexpr std::int32_t type_int8 = 3;
constexpr std::int32_t type_float64 = 11;
constexpr std::int32_t type_float8e4m3 = 17;
constexpr std::int32_t type_float8e5m2 = 19;

bool is_float8(std::int32_t type) {
  return type == type_float8e4m3 || type == type_float8e5m2;
}

/// In what sums are computed, and the type of alpha and beta.
struct ComputeTypes {
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

ComputeTypes compute_types_of(const ProductDesc& desc) {
  if (desc.type == type_float64) return {CUBLAS_COMPUTE_64F, CUDA_R_64F};
  if (desc.type == type_int8) return {CUBLAS_COMPUTE_32I, CUDA_R_32I};
  return {desc.uses_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F};
}

/// A number of the type of alpha and beta.
struct ScaleNumber {
  double real;
  float number;
  std::int32_t integer;

  explicit ScaleNumber(float value)
      : real(static_cast<double>(value)),
        number(value),
        integer(static_cast<std::int32_t>(value)) {}
  const void* as(cudaDataType_t type) const {
    if (type == CUDA_R_64F) return &real;
    if (type == CUDA_R_32I) return &integer;
    return &number;
  }
};

cudaDataType_t data_type_of(std::int32_t type) {
  switch (type) {
    case type_int8:
      return CUDA_R_8I;
    case 10:
      return CUDA_R_16F;
    case 16:
      return CUDA_R_16BF;
    case type_float64:
      return CUDA_R_64F;
    case type_float8e4m3:
      return CUDA_R_8F_E4M3;
    case type_float8e5m2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_32F;
  }
}

/// Of what is added, and of the result.
cudaDataType_t result_type_of(const ProductDesc& desc) {
  if (desc.type == type_int8) return CUDA_R_32I;
  return data_type_of(is_float8(desc.type) ? desc.out_type : desc.type);
}

struct CublasProduct : DevicePrimitive {
  const CublasCalls* calls = nullptr;
  ProductDesc desc;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr;
  cublasLtMatrixLayout_t second = nullptr;
  cublasLtMatrixLayout_t result = nullptr;
  cublasLtMatrixLayout_t addend = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  std::size_t workspace = 0;

  ~CublasProduct() override {
    for (cublasLtMatrixLayout_t layout : {first, second, result, addend}) {
      if (layout != nullptr) calls->layout_destroy(layout);
    }
    if (operation != nullptr) calls->desc_destroy(operation);
  }
  std::int64_t workspace_bytes() const override { return static_cast<std::int64_t>(workspace); }
};

class CublasFactory : public ProductFactory {
 public:
  CublasFactory() { check_cublas(calls_.create(&handle_), "cublasLtCreate"); }
  ~CublasFactory() override { calls_.destroy(handle_); }

  PrimitivePtr make(const ProductDesc& desc) override {
    const std::lock_guard lock(mutex_);
    return made_.find_or_make(desc, [&] { return make_new(desc); });
  }

  void run(const DevicePrimitive& product, const ProductPointers& p, CUstream_st* stream) override {
    const auto& own = static_cast<const CublasProduct&>(product);
    const ProductDesc& desc = own.desc;
    if (!desc.has_bias && !is_float8(desc.type)) return multiply(own, p, stream);
    // Pointers belong to the description, which several streams use.
    const std::lock_guard lock(mutex_);
    if (desc.has_bias) set(own.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
    if (is_float8(desc.type)) set_scales(own.operation, p.a_scale, p.b_scale);
    multiply(own, p, stream);
  }

 private:
  void multiply(const CublasProduct& own, const ProductPointers& p, CUstream_st* stream) const {
    const ProductDesc& desc = own.desc;
    const cudaDataType_t type = compute_types_of(desc).scale;
    const ScaleNumber alpha(desc.alpha);
    const ScaleNumber beta(desc.has_addend ? 1.0F : 0.0F);
    const void* c = desc.has_addend ? p.addend : p.out;
    check_cublas(calls_.matmul(handle_, own.operation, alpha.as(type), p.b, own.first, p.a,
                               own.second, beta.as(type), c, own.addend, p.out, own.result,
                               &own.algorithm, p.workspace, own.workspace, stream),
                 "cublasLtMatmul");
  }

  template <typename T>
  void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
           const T& value) const {
    check_cublas(calls_.desc_set(operation, attribute, &value, sizeof(value)),
                 "cublasLtMatmulDescSetAttribute");
  }

  /// The library's first matrix is b.
  void set_scales(cublasLtMatmulDesc_t operation, const void* a, const void* b) const {
    set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, b);
    set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, a);
  }

  cublasLtMatrixLayout_t layout(const ProductDesc& desc, cudaDataType_t type, std::int64_t rows,
                                std::int64_t columns, std::int64_t stride) const {
    cublasLtMatrixLayout_t made = nullptr;
    check_cublas(calls_.layout_create(&made, type, static_cast<std::uint64_t>(rows),
                                      static_cast<std::uint64_t>(columns), rows),
                 "cublasLtMatrixLayoutCreate");
    if (desc.batch > 1) {
      const auto count = static_cast<std::int32_t>(desc.batch);
      calls_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
      calls_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride));
    }
    return made;
  }

  /// The library's matrices have columns first, so it computes the transposed product.
  PrimitivePtr make_new(const ProductDesc& desc) const {
    auto product = std::make_shared<CublasProduct>();
    product->calls = &calls_;
    product->desc = desc;
    const ComputeTypes types = compute_types_of(desc);
    check_cublas(calls_.desc_create(&product->operation, types.compute, types.scale),
                 "cublasLtMatmulDescCreate");
    const cublasOperation_t of_b = desc.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t of_a = desc.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(product->operation, CUBLASLT_MATMUL_DESC_TRANSA, of_b);
    set(product->operation, CUBLASLT_MATMUL_DESC_TRANSB, of_a);
    const cublasLtEpilogue_t epilogue =
        desc.has_bias ? (desc.has_relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
                      : (desc.has_relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT);
    set(product->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    const cudaDataType_t sums = result_type_of(desc);
    if (desc.has_bias) set(product->operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, sums);
    if (desc.has_bias && desc.bias_stride != 0)
      set(product->operation, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, desc.bias_stride);
    const cudaDataType_t type = data_type_of(desc.type);
    const cudaDataType_t b_type = is_float8(desc.type) ? data_type_of(desc.b_type) : type;
    // Algorithms are chosen for scales that are there; they are read when the product runs.
    alignas(16) static constexpr float scale = 1;
    if (is_float8(desc.type)) set_scales(product->operation, &scale, &scale);
    product->first = desc.transpose_b ? layout(desc, b_type, desc.k, desc.n, desc.b_stride)
                                      : layout(desc, b_type, desc.n, desc.k, desc.b_stride);
    product->second = desc.transpose_a ? layout(desc, type, desc.m, desc.k, desc.a_stride)
                                       : layout(desc, type, desc.k, desc.m, desc.a_stride);
    product->result = layout(desc, sums, desc.n, desc.m, desc.m * desc.n);
    product->addend =
        layout(desc, sums, desc.n, desc.m, desc.has_addend ? desc.addend_stride : desc.m * desc.n);
    choose_algorithm(*product);
    return product;
  }

  void choose_algorithm(CublasProduct& product) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check_cublas(calls_.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    calls_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most_workspace,
                          sizeof(most_workspace));
    // Views of values may start anywhere.
    const std::uint32_t alignment = 16;
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      calls_.preference_set(preference, attribute, &alignment, sizeof(alignment));
    cublasLtMatmulHeuristicResult_t found = {};
    int count = 0;
    const cublasStatus_t status =
        calls_.heuristic(handle_, product.operation, product.first, product.second, product.addend,
                         product.result, preference, 1, &found, &count);
    calls_.preference_destroy(preference);
    const ProductDesc& desc = product.desc;
    if (status != CUBLAS_STATUS_SUCCESS || count == 0)
      throw Error(ErrorCode::unsupported,
                  format("cuBLASLt has no algorithm for {} products of {} x {} and {} x {} (status "
                         "{})",
                         desc.batch, desc.m, desc.k, desc.k, desc.n, static_cast<int>(status)));
    product.algorithm = found.algo;
    product.workspace = found.workspaceSize;
  }

  CublasCalls calls_;
  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  PrimitiveCache<ProductDesc, PrimitivePtr> made_;
};

}  // namespace

std::unique_ptr<ProductFactory> open_cublas() {
  return std::make_unique<CublasFactory>();
}

}  // namespace ortool::cuda
