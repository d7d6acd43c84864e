#pragma once

#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QWidget>
#include <vector>

#include "core/store/store.h"
#include "ui/models/facts.h"
#include "ui/models/recent_files.h"
#include "ui/workspace/library_data.h"

class QMenu;

namespace tessera::ui {

/// The Library dock: models, hardware, studies and the latest runs in one tree with a filter.
class LibraryPanel : public QWidget {
    Q_OBJECT

public:
    enum Role { kindRole = Qt::UserRole + 1, keyRole, helpRole, fileRole, runRole };

    explicit LibraryPanel(QWidget* parent = nullptr);

    void setContents(const LibraryContents& contents);
    void setRecent(const QVector<RecentFiles::Entry>& entries);
    void setRuns(const std::vector<store::RunRow>& runs);

    QAbstractItemModel* model() { return &model_; }
    QTreeView* tree() const { return tree_; }
    QLineEdit* filter() const { return filter_; }
    QMenu* contextMenu(const QModelIndex& proxied);  ///< of the tree's model; nullptr where there is nothing to do
    QStringList openSections() const;
    void setOpenSections(const QStringList& sections);

signals:
    void openRequested(const QString& kind, const QString& key);
    void newStudyRequested(const QString& model, const QString& hardware, const QString& engine = {});
    void runRequested(const QString& study);  ///< a study's key
    void repeatRequested(qint64 run);
    void studyOfRunRequested(qint64 run);
    void duplicateRequested(const QString& key);  ///< of a piece of hardware
    void forgetRequested(const QString& path);    ///< of a recent file
    void inspected(const tessera::ui::Facts& facts);

private:
    QVector<QStandardItem*> sectionItems() const;
    QStandardItem* section(const QString& id, const QString& title, const QString& icon, QStandardItem* parent);
    QStandardItem* entryItem(const QString& kind, const QString& icon, const LibraryContents::Entry& entry);
    void fill(QStandardItem* section, const QString& kind, const QString& icon,
              const QVector<LibraryContents::Entry>& entries, const QVector<RecentFiles::Entry>& recent);
    /// Makes the section's rows these, and leaves those that stay where they are: selected, scrolled to, unfolded.
    void setEntries(QStandardItem* section, const QVector<QStandardItem*>& items);
    void fillAll();
    void applyFilter();
    void open(const QModelIndex& index);
    void inspect(const QModelIndex& index);
    void refreshIcons();

    QStandardItemModel model_;
    QSortFilterProxyModel proxy_;
    QLineEdit* filter_;
    QTreeView* tree_;
    QStandardItem *models_, *accelerators_, *fleets_, *platforms_, *templates_, *workloads_, *studies_, *runs_;
    LibraryContents contents_;
    QVector<RecentFiles::Entry> recent_;
    QStringList openBeforeFilter_;
    bool filtering_ = false;
    bool filling_ = false;
};

}  // namespace tessera::ui
