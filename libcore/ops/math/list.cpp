// The math operators, one line each, sorted by domain, then name.
#include "libcore/ops/math/arithmetic.hpp"
#include "libcore/ops/math/bitwise.hpp"
#include "libcore/ops/math/cumulative.hpp"
#include "libcore/ops/math/det.hpp"
#include "libcore/ops/math/einsum.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/math/is_inf.hpp"
#include "libcore/ops/math/is_nan.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/math/mod.hpp"
#include "libcore/ops/math/pow.hpp"
#include "libcore/ops/math/trigonometry.hpp"
#include "libcore/ops/math/unary.hpp"
#include "libcore/ops/math/variadic.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry math_entries[] = {
    op_entry<Abs>(),        op_entry<Acos>(),       op_entry<Acosh>(),      op_entry<Add>(),
    op_entry<Asin>(),       op_entry<Asinh>(),      op_entry<Atan>(),       op_entry<Atanh>(),
    op_entry<BitShift>(),   op_entry<BitwiseAnd>(), op_entry<BitwiseNot>(), op_entry<BitwiseOr>(),
    op_entry<BitwiseXor>(), op_entry<Ceil>(),       op_entry<Cos>(),        op_entry<Cosh>(),
    op_entry<CumProd>(),    op_entry<CumSum>(),     op_entry<Det>(),        op_entry<Div>(),
    op_entry<Einsum>(),     op_entry<Exp>(),        op_entry<Floor>(),      op_entry<Gemm>(),
    op_entry<IsInf>(),      op_entry<IsNaN>(),      op_entry<Log>(),        op_entry<MatMul>(),
    op_entry<Max>(),        op_entry<Mean>(),       op_entry<Min>(),        op_entry<Mod>(),
    op_entry<Mul>(),        op_entry<Neg>(),        op_entry<Pow>(),        op_entry<Reciprocal>(),
    op_entry<Round>(),      op_entry<Sign>(),       op_entry<Sin>(),        op_entry<Sinh>(),
    op_entry<Sqrt>(),       op_entry<Sub>(),        op_entry<Sum>(),        op_entry<Tan>(),
};

}  // namespace

std::span<const OpEntry> math_operators() {
  return math_entries;
}

}  // namespace ortool
