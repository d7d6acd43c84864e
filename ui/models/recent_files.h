#pragma once

#include <QObject>
#include <QString>
#include <QVector>

namespace tessera::ui {

/// Files that were opened, newest first, remembered in the settings.
class RecentFiles : public QObject {
    Q_OBJECT

public:
    struct Entry {
        QString kind;  ///< of the document: "model", "hardware", "study"
        QString path;
        QString icon = {};  ///< of what the file holds, such as "platform": files of hardware are of several kinds
        bool operator==(const Entry&) const = default;
    };
    static constexpr int kMax = 20;

    explicit RecentFiles(QObject* parent = nullptr);
    QVector<Entry> entries() const { return entries_; }
    QVector<Entry> entries(const QString& kind) const;
    void add(const QString& kind, const QString& path);
    /// Sets the icon of a file once its content is known; does nothing where the file is not listed.
    void setIcon(const QString& path, const QString& icon);
    void remove(const QString& path);
    void clear();

signals:
    void changed();

private:
    void save();
    QVector<Entry> entries_;
};

}  // namespace tessera::ui
