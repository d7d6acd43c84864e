#pragma once

#include <QTabWidget>
#include <functional>
#include <utility>
#include <vector>

#include "ui/models/background.h"

class QLabel;

namespace tessera::ui {

/// Tabs that are built when they are first seen, and filled when they are seen after what they show changed. Pictures
/// are made off the UI thread.
class LazyTabs : public QTabWidget {
    Q_OBJECT

public:
    explicit LazyTabs(QWidget* parent = nullptr);
    void addPage(const QString& id, const QString& title, std::function<QWidget*()> make, std::function<void()> fill);
    /// Adds a page by two members of an object that outlives the tabs.
    template <typename Pages>
    void addPage(const char* id, const QString& title, Pages* pages, QWidget* (Pages::*make)(), void (Pages::*fill)()) {
        addPage(
            QLatin1String(id), title, [pages, make] { return (pages->*make)(); }, [pages, fill] { (pages->*fill)(); });
    }
    /// Refreshes the tabs after a change of their content; does nothing before the first time.
    void refresh();
    void refresh(const QStringList& ids);  ///< the same of some
    QString tab() const;                   ///< "jobs", "convergence", …
    void openTab(const QString& id);
    void setPageShown(const QString& id, bool shown);
    /// Adds a line to the tool tip of a tab, unless it is there.
    void addHelp(const QString& id, const QString& line);
    bool has(const QString& id) const;
    bool isEmpty() const;  ///< no page is shown
    /// Sets whether only the row of tabs is seen; no page is then made or filled.
    void setFolded(bool folded);

    /// Makes a value on a thread and shows it, unless what the tabs show changed meanwhile.
    template <typename Work, typename Show>
    void prepare(Work work, Show show) {
        inBackground(
            this, std::move(work),
            [this, at = generation_, show = std::move(show)](auto value) {
                if (at == generation_) show(std::move(value));
            },
            [this](const QString& problem) { emit troubled(problem); });
    }

signals:
    void troubled(const QString& sentence);

private:
    struct Page {
        QString id;
        std::function<QWidget*()> make;
        std::function<void()> fill;
        QWidget* holder = nullptr;
        bool made = false;
        bool stale = true;
    };
    void see(int index);

    std::vector<Page> pages_;
    bool folded_ = false;
    int generation_ = 0;  ///< 0 = there is nothing to show yet
};

/// The one above the other, which takes the room.
QWidget* vSplit(QWidget* top, QWidget* bottom);
/// Sentences that can be selected.
QLabel* sentences();

}  // namespace tessera::ui
