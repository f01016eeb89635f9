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

using enum OpTrait;
using Role = QuantizeRole;

constexpr OpEntry math_entries[] = {
    op_entry<Abs>(
        {.set = {elementwise, idempotent, nonnegative, keeps_zero}, .role = Role::function}),
    op_entry<Acos>({.set = {elementwise}}),
    op_entry<Acosh>({.set = {elementwise}}),
    op_entry<Add>({.set = {elementwise, commutative, keeps_zero, infers_elements},
                   .role = Role::sum,
                   .neutral = 0}),
    op_entry<Asin>({.set = {elementwise}}),
    op_entry<Asinh>({.set = {elementwise}}),
    op_entry<Atan>({.set = {elementwise}}),
    op_entry<Atanh>({.set = {elementwise}}),
    op_entry<BitShift>({.set = {elementwise}}),
    op_entry<BitwiseAnd>({.set = {elementwise, commutative}}),
    op_entry<BitwiseNot>({.set = {elementwise}}),
    op_entry<BitwiseOr>({.set = {elementwise, commutative}}),
    op_entry<BitwiseXor>({.set = {elementwise, commutative}}),
    op_entry<Ceil>({.set = {elementwise, idempotent, keeps_zero, infers_elements}}),
    op_entry<Cos>({.set = {elementwise}}),
    op_entry<Cosh>({.set = {elementwise}}),
    op_entry<CumProd>(),
    op_entry<CumSum>(),
    op_entry<Det>(),
    op_entry<Div>({.set = {elementwise, infers_elements}, .neutral = 1}),
    op_entry<Einsum>(),
    op_entry<Exp>({.set = {elementwise}}),
    op_entry<Floor>({.set = {elementwise, idempotent, keeps_zero, infers_elements}}),
    op_entry<Gemm>({.set = {computes_in_float32}, .role = Role::product}),
    op_entry<IsInf>({.set = {elementwise}}),
    op_entry<IsNaN>({.set = {elementwise}}),
    op_entry<Log>({.set = {elementwise}}),
    op_entry<MatMul>({.set = {computes_in_float32}, .role = Role::product}),
    op_entry<Max>(
        {.set = {elementwise, commutative, forwards_single_operand, keeps_zero, infers_elements}}),
    op_entry<Mean>({.set = {elementwise, commutative, forwards_single_operand, keeps_zero}}),
    op_entry<Min>(
        {.set = {elementwise, commutative, forwards_single_operand, keeps_zero, infers_elements}}),
    op_entry<Mod>({.set = {elementwise, infers_elements}}),
    op_entry<Mul>({.set = {elementwise, commutative, keeps_zero, infers_elements},
                   .role = Role::sum,
                   .neutral = 1}),
    op_entry<Neg>({.set = {elementwise}, .role = Role::function}),
    op_entry<Pow>({.set = {elementwise}}),
    op_entry<Reciprocal>({.set = {elementwise}}),
    op_entry<Round>({.set = {elementwise, idempotent, keeps_zero}}),
    op_entry<Sign>({.set = {elementwise, idempotent, keeps_zero}}),
    op_entry<Sin>({.set = {elementwise}}),
    op_entry<Sinh>({.set = {elementwise}}),
    op_entry<Sqrt>({.set = {elementwise, keeps_zero}}),
    op_entry<Sub>(
        {.set = {elementwise, keeps_zero, infers_elements}, .role = Role::sum, .neutral = 0}),
    op_entry<Sum>({.set = {elementwise, commutative, forwards_single_operand, keeps_zero}}),
    op_entry<Tan>({.set = {elementwise}}),
};

}  // namespace

std::span<const OpEntry> math_operators() {
  return math_entries;
}

}  // namespace ortool
