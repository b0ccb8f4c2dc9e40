// SPDX-License-Identifier: MIT
// Reads as TensorFlow's POSIX file system does (open, fstat, pread in 256 KiB chunks, mmap, opendir, stat), and as
// C++ programs do otherwise: std::ifstream, std::filesystem.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

static uint64_t hash(const std::string &s)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (unsigned char c : s)
		h = (h ^ c) * 0x100000001b3u;
	return h;
}

static void tell(const std::string &what, const std::string &data)
{
	std::printf("%s: %zu bytes, hash %016llx\n", what.c_str(), data.size(), (unsigned long long)hash(data));
}

// RandomAccessFile
static std::string read_chunks(const std::string &path)
{
	struct stat st;
	std::string all;
	int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return std::string("failed ") + strerror(errno);
	std::vector<char> chunk(256 * 1024);
	for (off_t at = 0;;) {
		ssize_t n = pread(fd, chunk.data(), chunk.size(), at);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			break;
		all.append(chunk.data(), (size_t)n);
		at += n;
	}
	close(fd);
	return all;
}

// ReadOnlyMemoryRegion
static std::string read_mapped(const std::string &path)
{
	struct stat st;
	int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return "failed";
	void *m = mmap(nullptr, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m == MAP_FAILED)
		return std::string("mmap: ") + strerror(errno);
	std::string all((const char *)m, (size_t)st.st_size);
	munmap(m, (size_t)st.st_size);
	return all;
}

static std::string read_stream(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);
	std::ostringstream out;
	out << in.rdbuf();
	return in ? out.str() : "failed";
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	std::string root = argv[1];
	for (const char *rel : { "text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "small.bin", "class-a/img-00.jpg", "no-such" }) {
		std::string p = root + "/" + rel;
		tell(std::string("chunks ") + rel, read_chunks(p));
		tell(std::string("mapped ") + rel, read_mapped(p));
		tell(std::string("stream ") + rel, read_stream(p));
	}
	// GetChildren, then Stat of each
	std::set<std::string> names;
	if (DIR *d = opendir(root.c_str())) {
		while (struct dirent *e = readdir(d))
			names.insert(e->d_name);
		closedir(d);
	}
	for (auto &n : names) {
		struct stat st;
		int rc = stat((root + "/" + n).c_str(), &st);
		if (n != "..")
			std::printf("%s: %d %o\n", n.c_str(), rc, rc ? 0 : st.st_mode);
	}
	std::ifstream in(root + "/text/lines.txt");
	std::string l;
	for (int i = 0; std::getline(in, l) && i < 3; i++)
		std::printf("line: %s\n", l.c_str());
	in.seekg(-20, std::ios::end);
	std::printf("at %lld\n", (long long)in.tellg());
	std::string rest((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	tell("rest", rest);
	std::fstream both(root + "/text/lines.txt", std::ios::in | std::ios::out);
	std::printf("read and write: %d\n", both.is_open());
	std::ofstream out(root + "/new");
	std::printf("new: %d\n", out.is_open());

	std::vector<std::string> walked;
	std::error_code ec;
	for (auto it = fs::recursive_directory_iterator(root, ec); !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
		std::ostringstream s;
		s << it->path().string().substr(root.size()) << " " << (int)it->symlink_status().type() << " ";
		if (it->is_regular_file(ec) && !it->is_symlink(ec))
			s << it->file_size(ec);
		walked.push_back(s.str());
	}
	std::sort(walked.begin(), walked.end());
	for (auto &w : walked)
		std::printf("%s\n", w.c_str());
	std::printf("error %d\n", ec.value());
	std::printf("%s\n", fs::canonical(root + "/links/chain1").c_str());
	std::printf("%s\n", fs::weakly_canonical(root + "/links/dir/../no-such/x").c_str());
	std::printf("%s\n", fs::read_symlink(root + "/links/rel").c_str());
	std::printf("%d %d %d\n", fs::exists(root + "/links/dangling"), fs::is_directory(root + "/links/dir"), fs::is_empty(root + "/empty-dir"));
	std::printf("%lld\n", (long long)fs::last_write_time(root + "/comp.txt").time_since_epoch().count());
	std::printf("%d\n", fs::equivalent(root + "/links/rel", root + "/text/lines.txt"));
	for (const char *rel : { "comp.txt", "big.bin", "empty" }) {
		fs::remove("copy", ec);
		bool ok = fs::copy_file(root + "/" + rel, "copy", ec);
		std::printf("copy_file %s: %d %d\n", rel, ok, ec.value());
		tell("copy", read_chunks("copy"));
	}
	fs::copy(root + "/class-a", "tree", fs::copy_options::recursive, ec);
	std::printf("copy: %d, %lld\n", ec.value(), (long long)std::distance(fs::directory_iterator("tree"), fs::directory_iterator()));
	fs::create_directory(root + "/new", ec);
	std::printf("create_directory: %d\n", ec.value());
	fs::remove(root + "/comp.txt", ec);
	std::printf("remove: %d\n", ec.value());
	fs::current_path(root + "/class-b");
	std::printf("%s %d\n", fs::current_path().c_str(), fs::exists("img-00.jpg"));
	auto space = fs::space(root, ec);
	std::printf("space: %d %d\n", ec.value(), space.capacity > 0);
	return 0;
}
