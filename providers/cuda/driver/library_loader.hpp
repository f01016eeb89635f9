// LibraryLoader: opens a library of CUDA while the program runs; the provider says why where that
// fails.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace ortool::cuda {

class LibraryLoader {
 public:
  /// Opens the first of `names` that the loader finds, in its own folders or in those of a CUDA
  /// toolkit. Throws ErrorCode::provider_unavailable, naming `wanted`.
  LibraryLoader(std::initializer_list<const char*> names, std::string_view wanted);
  ~LibraryLoader();
  LibraryLoader(const LibraryLoader&) = delete;
  LibraryLoader& operator=(const LibraryLoader&) = delete;

  /// Null if the library lacks it.
  void* look_up(const char* symbol) const;
  /// Throws ErrorCode::provider_unavailable if the library lacks it.
  void* find(const char* symbol) const;
  template <typename Function>
  void load(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(find(symbol));
  }
  /// Whether the library has it.
  template <typename Function>
  bool try_load(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(look_up(symbol));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string name_;
};

/// For lists CALL(member, function) of what a struct with a `library` calls: its members, and how
/// they are found.
#define ORTOOL_LIBRARY_MEMBER(member, function) decltype(function)* member;
#define ORTOOL_LIBRARY_LOAD(member, function) library.load(member, #function);

}  // namespace ortool::cuda
