#pragma once

#include <QDialog>
#include <QVector>
#include <functional>

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace tessera::ui {

/// Columns of a table with a check each, in sections, with a search over all. Every check takes effect at once.
class ColumnChooser : public QDialog {
    Q_OBJECT

public:
    struct Choice {
        QString section, title, help;
        bool shown = false;
        std::function<void(bool)> choose;
    };
    explicit ColumnChooser(const QVector<Choice>& choices, QWidget* parent = nullptr);

    QLineEdit* search() const { return search_; }
    QTreeWidget* tree() const { return tree_; }

private:
    void fill();
    void filter(const QString& typed);
    void count();

    QVector<Choice> choices_;
    QLineEdit* search_;
    QTreeWidget* tree_;
    QLabel* count_;
};

}  // namespace tessera::ui
