#include "ui/editors/recovery.h"

#include <QCryptographicHash>
#include <QStandardPaths>
#include <QThreadPool>
#include <QUrlQuery>
#include <QUuid>
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/store/owner.h"
#include "ui/editors/edited_file.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargest = kLargestDocument + (std::uintmax_t{1} << 20);  // and what is said about it
constexpr std::size_t kMaxListed = 100;
constexpr std::size_t kLongestKey = 4096;
const QString kNew = u"new/"_s;
const QString kRecovered = u"recovered"_s;

fs::path folder() {
    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    return fs::path(data.toStdString()) / "recovery";
}

fs::path fileOf(const QString& id) {
    return folder() / (id.toStdString() + ".json");
}

/// Ids are parts of paths, and come from keys that anybody may write.
bool isId(const QString& text) {
    return !text.isEmpty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](QChar letter) {
        return letter.unicode() < 128 && letter.isLetterOrNumber();
    });
}

QString queryOf(const QString& key) {
    return key.section(QLatin1Char('?'), 1);
}

struct Kept {
    Recovery recovery;
    store::Owner owner;
};

Json toJson(const Recovery& recovery) {
    const store::Owner owner = store::thisProcess();
    return {{"kind", recovery.kind.toStdString()},
            {"key", recovery.key.toStdString()},
            {"title", recovery.title.toStdString()},
            {"base", recovery.base},
            {"saved_at", recovery.when.toSecsSinceEpoch()},
            {"host", owner.host},
            {"pid", owner.pid},
            {"process", owner.process},
            {"document", recovery.json}};
}

/// Nothing where the file is missing or damaged: then there is nothing to offer.
std::optional<Kept> readKept(const fs::path& path) {
    try {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) return std::nullopt;
        const JsonDocument document = JsonDocument::parse(readFile(path, kLargest), path.string());
        const JsonNode root = document.root();
        const auto text = [&](const char* key) { return QString::fromStdString(root.at(key).text(kLongestKey)); };
        constexpr std::int64_t kMax = std::int64_t{1} << 40;
        return Kept{.recovery = {.id = QString::fromStdString(path.stem().string()),
                                 .kind = text("kind"),
                                 .key = text("key"),
                                 .title = text("title"),
                                 .json = root.at("document").json(),
                                 .base = root.at("base").text(),
                                 .when = QDateTime::fromSecsSinceEpoch(root.at("saved_at").whole(0, kMax))},
                    .owner = {.host = root.at("host").text(),
                              .pid = root.at("pid").whole(0, kMax),
                              .process = root.at("process").text()}};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

bool isThisProcess(const store::Owner& owner) {
    const store::Owner own = store::thisProcess();
    return owner.pid == own.pid && owner.process == own.process && owner.host == own.host;
}

void write(const QString& id, const std::optional<Recovery>& recovery) {
    try {
        if (recovery) {
            fs::create_directories(folder());
            writeFile(fileOf(id), toText(toJson(*recovery)));
        } else {
            fs::remove(fileOf(id));
        }
    } catch (const std::exception&) {
        return;
    }
}

/// Writes one state after the other on a thread of the pool; of several states of one id only the newest.
class Writer {
public:
    static Writer& instance() {
        static Writer writer;
        return writer;
    }
    void set(const QString& id, std::optional<Recovery> recovery) {
        const std::lock_guard lock(mutex_);
        waiting_[id] = std::move(recovery);
        if (working_) return;
        working_ = true;
        QThreadPool::globalInstance()->start([this] { work(); });
    }
    /// What will lie in the file soon, where that is not decided by the file itself.
    std::optional<std::optional<Recovery>> pending(const QString& id) {
        const std::lock_guard lock(mutex_);
        if (const auto found = waiting_.find(id); found != waiting_.end()) return found->second;
        if (now_ == id) return beingWritten_;
        return std::nullopt;
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        while (!waiting_.empty()) {
            now_ = waiting_.begin()->first;
            beingWritten_ = std::move(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
            lock.unlock();
            write(now_, beingWritten_);
            lock.lock();
            now_.clear();
        }
        working_ = false;
    }

    std::mutex mutex_;
    std::map<QString, std::optional<Recovery>> waiting_;
    QString now_;                           ///< whose state is being written
    std::optional<Recovery> beingWritten_;  ///< changed by the worker, while it holds the mutex
    bool working_ = false;
};

}  // namespace

QString recoveryId(const QString& kind, const QString& key) {
    if (key.startsWith(kNew)) {
        const QString named = QUrlQuery(queryOf(key)).queryItemValue(kRecovered);
        return isId(named) ? named : QString::fromLatin1(QUuid::createUuid().toRfc4122().toHex());
    }
    // Keys hold slashes and anything else that a path may.
    const QByteArray text = (kind + QLatin1Char('\n') + key).toUtf8();
    return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().left(32));
}

QString keyOf(const Recovery& recovery) {
    if (!recovery.key.startsWith(kNew)) return recovery.key;
    QUrlQuery query(queryOf(recovery.key));
    query.removeAllQueryItems(kRecovered);
    query.addQueryItem(kRecovered, recovery.id);
    return recovery.key.section(QLatin1Char('?'), 0, 0) + QLatin1Char('?') + query.toString(QUrl::FullyEncoded);
}

std::string fingerprint(const Json& json) {
    return sha256(toText(json));
}

std::optional<Recovery> findRecovery(const QString& id) {
    if (!isId(id)) return std::nullopt;
    if (auto pending = Writer::instance().pending(id)) return *pending;
    const std::optional<Kept> kept = readKept(fileOf(id));
    if (!kept || (store::mayLive(kept->owner) && !isThisProcess(kept->owner))) return std::nullopt;
    return kept->recovery;
}

void keepRecovery(const Recovery& recovery) {
    if (isId(recovery.id)) Writer::instance().set(recovery.id, recovery);
}

void dropRecovery(const QString& id) {
    if (isId(id)) Writer::instance().set(id, std::nullopt);
}

QVector<Recovery> lostEdits() {
    QVector<Recovery> lost;
    std::error_code error;
    std::size_t seen = 0;
    for (fs::directory_iterator entry(folder(), error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() != ".json" || ++seen > kMaxListed) continue;
        const std::optional<Kept> kept = readKept(entry->path());
        if (kept && isId(kept->recovery.id) && !store::mayLive(kept->owner)) lost.push_back(kept->recovery);
    }
    std::sort(lost.begin(), lost.end(),
              [](const Recovery& one, const Recovery& other) { return one.when > other.when; });
    return lost;
}

}  // namespace tessera::ui
