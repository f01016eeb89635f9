// File trees: order, links, hidden files, and patterns.
#include "libcore/dataset/file_tree.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// A folder with files, removed with the object.
class TreeFolder {
 public:
  explicit TreeFolder(const std::string& name) : folder_(name) { fs::create_directories(path()); }
  ~TreeFolder() { fs::remove_all(path()); }

  std::string path() const { return folder_.path(); }
  void add(const std::string& file) const {
    const fs::path path = fs::path(folder_.path()) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << file;
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, fs::path(folder_.path()) / name);
  }

 private:
  test::ScratchFile folder_;
};

}  // namespace

TEST_CASE("a tree lists the files of a folder first, then those of its folders, in byte order") {
  const TreeFolder folder("tree_order");
  for (const char* file : {"b.png", "a.png", "Z.png", "cat/2.png", "cat/10.png", "ant/deep/x.png",
                           ".hidden.png", ".git/y.png"})
    folder.add(file);
  const FileTree tree = list_file_tree(folder.path());
  CHECK(tree.files ==
        Names{"Z.png", "a.png", "b.png", "ant/deep/x.png", "cat/10.png", "cat/2.png"});
  CHECK(tree.folders == Names{"ant", "cat"});
  CHECK(tree.not_files.empty());
}

TEST_CASE("links are followed, but not in a circle and no folder twice") {
  const TreeFolder folder("tree_links");
  folder.add("real/a.png");
  folder.link("real/a.png", "b.png");
  folder.link("..", "real/up");
  folder.link("real", "same");
  folder.link("nowhere", "c.png");
  folder.link("/dev/null", "null.png");
  const FileTree tree = list_file_tree(folder.path());
  CHECK(tree.files == Names{"b.png", "real/a.png"});
  std::int64_t folders = 0;
  for (const auto& [kind, count] : tree.not_files) folders += kind.first == "folder" ? count : 0;
  CHECK(folders == 2);
  CHECK(tree.not_files.size() == 3);
}

TEST_CASE("patterns match within one name, and ** any number of folders") {
  const TreeFolder folder("tree_glob");
  for (const char* file : {"a.png", "b.jpg", "x/c.png", "x/y/d.png", "z/e.png"}) folder.add(file);
  const auto matches = [&](const std::string& pattern) {
    return list_matching_files(folder.path() + "/" + pattern).files;
  };
  CHECK(matches("*.png") == Names{"a.png"});
  CHECK(matches("?.*") == Names{"a.png", "b.jpg"});
  CHECK(matches("*/*.png") == Names{"x/c.png", "z/e.png"});
  CHECK(matches("**/*.png") == Names{"a.png", "x/c.png", "x/y/d.png", "z/e.png"});
  CHECK(matches("x/**") == Names{"c.png", "y/d.png"});
  CHECK(matches("**/y/*") == Names{"x/y/d.png"});
  CHECK(matches("*/y/*.png") == Names{"x/y/d.png"});
  CHECK(matches("*.gif").empty());
  CHECK(list_matching_files(folder.path() + "/x/*").root == folder.path() + "/x");
}

TEST_CASE("a folder that cannot be listed is an error") {
  CHECK_THROWS_AS(list_file_tree("/nowhere/at/all"), Error);
}
