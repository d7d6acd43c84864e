#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <QTabWidget>
#include <QVector>
#include <functional>
#include <optional>

class QMenu;

namespace tessera::ui {

class Document;
class DropMark;

/// Documents in tabs, in groups side by side or one above the other. Owns them.
class DocumentArea : public QWidget {
    Q_OBJECT

public:
    explicit DocumentArea(QWidget* parent = nullptr);
    ~DocumentArea() override;

    /// Into the group that was used last, behind its current tab; brings it to the front.
    void add(Document* document);
    Document* current() const;
    QVector<Document*> documents() const;
    Document* find(const QString& kind, const QString& key) const;
    void bringToFront(Document* document);
    /// Closes a document without asking the user.
    void close(Document* document);

    /// Moves the current document into a new group beside its own. Nothing happens where it is alone in the area.
    void split(Qt::Orientation orientation);
    /// Moves the current document into the next group, or into a new one where there is only one.
    void moveToOtherSide();
    void nextTab(int step);
    int groups() const;

    /// The groups, their sizes, and each tab's kind, key (as `keyOf` says; none = not saved) and view.
    QJsonObject save(const std::function<std::optional<QString>(const Document&)>& keyOf) const;
    /// `make` returns a document (not yet added) for kind and key, or nullptr. Broken layouts restore what they can.
    void restore(const QJsonObject& layout,
                 const std::function<Document*(const QString& kind, const QString& key)>& make);

signals:
    void currentChanged(tessera::ui::Document* document);  ///< nullptr = none is open
    void closeRequested(tessera::ui::Document* document);
    void emptied();

private:
    QTabWidget* newGroup();
    QTabWidget* groupOf(const Document* document) const;
    QVector<QTabWidget*> allGroups() const;
    void insert(QTabWidget* group, Document* document, int at);
    void move(Document* document, QTabWidget* to, int at);
    void place(QTabWidget* added, QTabWidget* beside, Qt::Orientation orientation, bool before);
    /// Effect of a dropped tab: joins a group at an index, or splits it.
    struct Drop {
        QTabWidget* group = nullptr;
        int index = 0;
        std::optional<Qt::Orientation> split = {};
        bool before = false;
        QRect shown = {};  ///< where it will be, in the area
    };
    std::optional<Drop> dropAt(QTabWidget* from, const QPoint& global) const;
    void perform(Document* document, const Drop& drop);
    void fillMenuOfAll(QMenu* menu);
    void removeIfEmpty(QTabWidget* group);
    void tidy(QSplitter* splitter);
    void relabel(Document* document);
    void activate(QTabWidget* group);
    void announce();
    void showTabMenu(QTabWidget* group, const QPoint& position);
    QJsonObject saved(const QWidget* node, int depth,
                      const std::function<std::optional<QString>(const Document&)>& keyOf) const;
    void restored(QSplitter* parent, const QJsonObject& node, int depth,
                  const std::function<Document*(const QString&, const QString&)>& make);

    QSplitter* root_;
    DropMark* mark_;
    QTabWidget* active_ = nullptr;
    QTabWidget* restoredActive_ = nullptr;
    Document* announced_ = nullptr;
};

}  // namespace tessera::ui
