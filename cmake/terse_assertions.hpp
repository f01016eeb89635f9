// Assertions of libstdc++ (_GLIBCXX_ASSERTIONS) that end the program without a text: included before every source file.
// The names of functions that they would print are 5 % of code outside kernels.
#pragma once

#include <bits/c++config.h>

#undef __glibcxx_assert_impl
#define __glibcxx_assert_impl(condition) \
  if (!__builtin_expect(bool(condition), true)) __builtin_trap()
