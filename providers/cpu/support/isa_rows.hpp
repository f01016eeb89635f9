// Kernel rows for all instruction sets of a kernel, named after a common stem.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {

/// A string literal as a template argument.
template <std::size_t size>
struct LiteralText {
  char text[size] = {};

  constexpr LiteralText(const char (&literal)[size]) {
    for (std::size_t i = 0; i < size; ++i) text[i] = literal[i];
  }
};

/// Concatenates both texts, in static memory.
template <LiteralText first, LiteralText second>
struct JoinedText {
  static constexpr std::size_t first_size = sizeof(first.text) - 1;
  static constexpr auto characters = [] {
    std::array<char, first_size + sizeof(second.text)> all = {};
    for (std::size_t i = 0; i < first_size; ++i) all[i] = first.text[i];
    for (std::size_t i = 0; i < sizeof(second.text); ++i) all[first_size + i] = second.text[i];
    return all;
  }();
  static constexpr std::string_view value = {characters.data(), characters.size() - 1};
};

/// Rows named `stem`_avx512, `stem`_avx2 and `stem`_baseline, best first.
template <LiteralText stem>
constexpr std::array<KernelRow, 3> isa_rows(std::string_view op_type, std::string_view types,
                                            decltype(KernelRow::accepts) accepts,
                                            decltype(KernelRow::compile) compile,
                                            std::string_view domain = "") {
  return {
      {{JoinedText<stem, "_avx512">::value, domain, op_type, Isa::avx512, types, accepts, compile},
       {JoinedText<stem, "_avx2">::value, domain, op_type, Isa::avx2, types, accepts, compile},
       {JoinedText<stem, "_baseline">::value, domain, op_type, Isa::baseline, types, accepts,
        compile}}};
}

/// The same, preceded by `stem`_amx, for int8 products.
template <LiteralText stem>
constexpr std::array<KernelRow, 4> int8_isa_rows(std::string_view op_type, std::string_view types,
                                                 decltype(KernelRow::accepts) accepts,
                                                 decltype(KernelRow::compile) compile,
                                                 std::string_view domain = "") {
  return join_rows(std::array<KernelRow, 1>{{{JoinedText<stem, "_amx">::value, domain, op_type,
                                              Isa::amx, types, accepts, compile}}},
                   isa_rows<stem>(op_type, types, accepts, compile, domain));
}

/// A row that is the same on every instruction set.
constexpr std::array<KernelRow, 1> portable_row(std::string_view name, std::string_view op_type,
                                                std::string_view types,
                                                decltype(KernelRow::accepts) accepts,
                                                decltype(KernelRow::compile) compile,
                                                std::string_view domain = "") {
  return {{{name, domain, op_type, Isa::baseline, types, accepts, compile}}};
}

}  // namespace ortool::cpu
