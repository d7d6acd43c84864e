#pragma once

#include <unistd.h>

#include <utility>

namespace tessera {

/// An open file of the system, closed at the end.
class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor = kClosed) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, kClosed)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }

    int get() const { return descriptor_; }
    bool isOpen() const { return descriptor_ >= 0; }
    /// False where the system reports an error, in errno; what was written may then be lost.
    bool close() {
        const int closed = std::exchange(descriptor_, kClosed);
        return closed < 0 || ::close(closed) == 0;
    }

private:
    static constexpr int kClosed = -1;
    int descriptor_;
};

}  // namespace tessera
