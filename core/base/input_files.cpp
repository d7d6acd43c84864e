#include "core/base/input_files.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <utility>

namespace tessera {

namespace {

thread_local InputScope* innermostInput = nullptr;

/// Files with the bytes that were read.
using Reads = std::vector<std::pair<std::string, InputFiles::Bytes>>;

/// Notes what this thread reads while it lives; scopes nest, and what an inner one notes the outer ones do, too.
class ReadsScope {
public:
    ReadsScope() : outer_(std::exchange(innermost, this)) {}
    ReadsScope(const ReadsScope&) = delete;
    ReadsScope& operator=(const ReadsScope&) = delete;
    ~ReadsScope() {
        innermost = outer_;
        if (outer_ != nullptr)
            for (auto& [name, bytes] : reads_) outer_->add(name, bytes);
    }
    const Reads& reads() const { return reads_; }

    static void note(const std::string& name, const InputFiles::Bytes& bytes) {
        if (innermost != nullptr) innermost->add(name, bytes);
    }

private:
    void add(const std::string& name, const InputFiles::Bytes& bytes) {
        const auto same = [&](const auto& read) { return read.second == bytes && read.first == name; };
        if (std::none_of(reads_.begin(), reads_.end(), same)) reads_.emplace_back(name, bytes);
    }

    static thread_local ReadsScope* innermost;
    Reads reads_;
    ReadsScope* outer_;
};
thread_local ReadsScope* ReadsScope::innermost = nullptr;

}  // namespace

/// Values with the files that they were made of.
struct InputFiles::Kept {
    struct Value {
        Value(std::type_index itsType, std::string itsName, Reads itsReads, std::shared_ptr<const void> itself)
            : type(itsType), name(std::move(itsName)), reads(std::move(itsReads)), value(std::move(itself)) {}
        std::type_index type;
        std::string name;
        Reads reads;
        std::shared_ptr<const void> value;
        std::atomic<std::uint64_t> used = 0;  ///< the number of the last use
    };
    explicit Kept(std::size_t itsMax) : max(itsMax) {}

    const std::size_t max;
    std::shared_mutex mutex;
    std::list<Value> values;
    std::atomic<std::uint64_t> uses = 0;
};

void InputFiles::give(const std::filesystem::path& path, Bytes bytes) {
    const std::unique_lock lock(mutex_);
    files_[nameOf(path)] = std::move(bytes);
}

InputFiles::Bytes InputFiles::known(const std::string& name) const {
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = files_.find(name); found != files_.end()) return found->second;
    }
    return others_ ? others_->known(name) : nullptr;
}

std::map<std::string, InputFiles::Bytes> InputFiles::known() const {
    std::map<std::string, Bytes> all;
    {
        const std::shared_lock lock(mutex_);
        all = files_;
    }
    if (others_) all.merge(others_->known());
    return all;
}

std::map<std::string, std::string> InputFiles::places() const {
    std::map<std::string, std::string> all;
    {
        const std::shared_lock lock(mutex_);
        all = places_;
    }
    if (others_) all.merge(others_->places());
    return all;
}

bool InputFiles::has(const std::filesystem::path& path) const {
    return known(nameOf(path)) != nullptr;
}

InputFiles::Bytes InputFiles::find(const std::string& name, const std::function<Bytes()>& read) {
    Bytes bytes = known(name);
    if (!bytes) bytes = findHere(name, read);
    ReadsScope::note(name, bytes);
    return bytes;
}

InputFiles::Bytes InputFiles::findHere(const std::string& name, const std::function<Bytes()>& read) {
    if (others_) return others_->findHere(name, read);
    const std::unique_lock lock(mutex_);
    const auto found = files_.find(name);
    return found != files_.end() ? found->second : files_.emplace(name, read()).first->second;
}

std::string InputFiles::placeOf(const std::string& name) {
    if (others_) {
        const auto found = places_.find(name);
        return found == places_.end() ? others_->placeOf(name) : found->second;
    }
    std::unique_lock lock(mutex_);
    if (const auto later = std::exchange(later_, nullptr)) {
        lock.unlock();  // it reads files, too
        const std::shared_ptr<InputFiles> given = later();
        lock.lock();
        for (auto& [path, bytes] : given->files_) files_[path] = std::move(bytes);
        places_.merge(given->places_);
    }
    const auto found = places_.find(name);
    return found == places_.end() ? name : found->second;
}

void InputFiles::keepMade(std::size_t max) {
    kept_ = std::make_shared<Kept>(max);
}

std::shared_ptr<const void> InputFiles::made(std::type_index type, const std::string& name,
                                             const std::function<std::shared_ptr<const void>()>& make) {
    const InputFiles* keeper = this;
    while (!keeper->kept_ && keeper->others_) keeper = keeper->others_.get();
    const std::shared_ptr<Kept> kept = keeper->kept_;
    if (!kept) return make();
    const auto isOfThese = [&](const Reads& reads) {
        return std::all_of(reads.begin(), reads.end(),
                           [&](const auto& read) { return known(read.first) == read.second; });
    };
    {
        const std::shared_lock lock(kept->mutex);
        for (Kept::Value& each : kept->values) {
            if (each.type != type || each.name != name || !isOfThese(each.reads)) continue;
            each.used = ++kept->uses;
            for (const auto& [path, bytes] : each.reads) ReadsScope::note(path, bytes);
            return each.value;
        }
    }
    const ReadsScope scope;
    std::shared_ptr<const void> value = make();
    const std::unique_lock lock(kept->mutex);
    if (kept->values.size() >= kept->max)
        kept->values.erase(std::min_element(kept->values.begin(), kept->values.end(),
                                            [](const auto& a, const auto& b) { return a.used < b.used; }));
    kept->values.emplace_front(type, name, scope.reads(), value).used = ++kept->uses;
    return value;
}

InputScope::InputScope(std::shared_ptr<InputFiles> files) : files_(std::move(files)), outer_(innermostInput) {
    if (!files_) files_ = outer_ != nullptr ? outer_->files_ : std::make_shared<InputFiles>();
    innermostInput = this;
}

InputScope::~InputScope() {
    innermostInput = outer_;
}

InputFiles* InputScope::current() {
    return innermostInput == nullptr ? nullptr : innermostInput->files_.get();
}

std::string placeOfInput(const std::string& name) {
    InputFiles* const files = InputScope::current();
    return files == nullptr ? name : files->placeOf(name);
}

}  // namespace tessera
