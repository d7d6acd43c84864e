#pragma once

#include <QFrame>
#include <QIcon>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QStandardItemModel>
#include <QVector>
#include <functional>

namespace tessera::ui {

/// Ctrl+K: one field that finds every action, model, piece of hardware, study and run by a few letters.
class CommandPalette : public QFrame {
    Q_OBJECT

public:
    struct Item {
        QString id;  ///< remembered, so that what was used lately comes first
        QString title;
        QString aside;  ///< small and grey: "Model", "Ctrl+S"
        QString icon;
        std::function<void()> run;
        QString words = {};  ///< other names for it, which find it, too, but behind what is called so
    };
    using More = std::function<void(const QVector<Item>&)>;

    explicit CommandPalette(QWidget* window);
    /// Sets the source of the items, called each time the palette opens.
    void setItems(std::function<QVector<Item>()> items) { source_ = std::move(items); }
    /// Sets a search elsewhere (the history) for a typed text; `more` may be called later.
    void setSearch(std::function<void(const QString& typed, const More& more)> search) { search_ = std::move(search); }

    void open(const QString& typed = {});
    void dismiss();
    QLineEdit* field() const { return field_; }
    QListView* list() const { return list_; }
    QAbstractItemModel* model() { return &model_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void refresh();
    void append(const Item& item);
    void step(int rows);
    void activate(const QModelIndex& index);

    QLineEdit* field_;
    QListView* list_;
    QWidget* hint_;
    QStandardItemModel model_;
    QVector<Item> items_;    ///< everything
    QVector<Item> visible_;  ///< the rows of the model
    std::function<QVector<Item>()> source_;
    std::function<void(const QString&, const More&)> search_;
    QPointer<QWidget> focusBefore_;  ///< a page that closes while the palette is open takes it along
    int requests_ = 0;
};

}  // namespace tessera::ui
