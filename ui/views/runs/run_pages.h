#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <QString>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/study/study.h"
#include "ui/views/lazy_tabs.h"

class QAction;
class QMenu;

namespace tessera::ui {

class TableModel;
class TableView;

/// Pages of a run below its headline: pictures in tabs, and a drawer with tabs of details, such as tables,
/// that folds away. The picture comes first: it has `kPictureShare` of the page's height before the drawer has any,
/// until the user opens, folds or moves it. Details of which there is no picture have all of the page. What was last
/// chosen so, new pages begin with.
class RunPages : public QSplitter {
    Q_OBJECT

public:
    static constexpr double kPictureShare = 0.6;

    explicit RunPages(QWidget* parent = nullptr);

    /// A picture, and details; those of one id are shown together. Members of an object that outlives the pages.
    template <typename Pages>
    void addPicture(const char* id, const QString& title, Pages* pages, QWidget* (Pages::*make)(),
                    void (Pages::*fill)()) {
        pictures_->addPage(id, title, pages, make, fill);
    }
    template <typename Pages>
    void addDetails(const char* id, const QString& title, Pages* pages, QWidget* (Pages::*make)(),
                    void (Pages::*fill)()) {
        details_->addPage(id, title, pages, make, fill);
    }
    /// A table of details, whose numbers are explained.
    struct Table {
        std::function<TableModel*(QObject* owner)> model;
        std::function<int()> rows;                 ///< how many, whenever the page is filled
        std::function<int()> current = {};         ///< the row that is chosen then
        std::function<void(int row)> chosen = {};  ///< by the user
        bool filtered = false;                     ///< has a field that filters rows
        QString empty = {};                        ///< what is said where there is no row
        /// Puts what can be done with the chosen row on top of its menu.
        std::function<void(QMenu& menu)> menu = {};
    };
    void addTable(const char* id, const QString& title, const Table& table);
    /// Marks a row where the table is there; -1 = none.
    void markRow(const QString& id, int row);
    /// Shows details of another id together with a picture.
    void pair(const char* picture, const char* details) { pairs_[QLatin1String(picture)] = QLatin1String(details); }
    /// Details in words, a paragraph each.
    void addSentences(const char* id, const QString& title, std::function<QStringList()> lines);
    /// Adds the page of a result's assumptions and warnings, and of the files that it was made from.
    void addAssumptions(std::function<const study::Result&()> result);

    LazyTabs* pictures() const { return pictures_; }
    LazyTabs* details() const { return details_; }
    /// Refreshes the pages after a change of their content; before the first time nothing is made.
    void refresh();
    /// Brings a picture to the front, or opens the drawer with details that belong to none; unknown ids are ignored.
    void openTab(const QString& id);
    void setPageShown(const QString& id, bool shown);
    void setPageShown(LazyTabs& among, const QString& id, bool shown);  ///< of pictures or details alone
    QString tab() const { return pictures_->tab(); }

    bool isOpen() const;
    void setOpen(bool open);                       ///< by the user: it stays so
    QAction* foldAction() const { return fold_; }  ///< Ctrl+J, which is a key of the window

    /// Picture and details in front, and the drawer's state where the user set it.
    QJsonObject saveView() const;
    /// Restores a saved view, also of versions that had one row of tabs. Unknown or wrong values are ignored.
    void restoreView(const QJsonObject& view);

    /// Makes a value on a thread and shows it, unless what the pages show changed meanwhile.
    template <typename Work, typename Show>
    void prepare(Work work, Show show) {
        pictures_->prepare(std::move(work), std::move(show));
    }

signals:
    void explainRequested(const QString& path);
    void troubled(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    /// Gives picture and details their heights.
    void arrange();
    void takeDrawer(const QJsonObject& drawer);
    void remember();
    QJsonObject drawer() const;
    void showDetailsOf(const QString& picture);

    LazyTabs* pictures_;
    LazyTabs* details_;
    QAction* fold_;
    std::map<QString, QString> pairs_;
    std::map<QString, std::pair<TableModel*, TableView*>> tables_;  ///< those that are there
    bool marking_ = false;                                          ///< a row, without the user's choosing it
    std::optional<bool> open_;                                      ///< as the user set it
    int height_ = 0;         ///< of the open drawer, as the user set it; 0 = what the picture leaves
    bool following_ = true;  ///< until the user chooses details: they follow the picture, or are not there yet
};

/// Gap to the bound from which a headline warns.
inline constexpr double kWideGap = 0.05;

}  // namespace tessera::ui
