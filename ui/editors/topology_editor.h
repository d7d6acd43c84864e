#pragma once

#include <QWidget>

#include "ui/editors/edited_json.h"
#include "ui/editors/problem.h"

class QComboBox;
class QLabel;
class QTreeWidget;
class QToolButton;
class QTreeWidgetItem;

namespace tessera::ui {

class QuantityField;

/// Editor of a fleet's network: flat, or a tree of nodes with a rate and a latency each. Selected members of a node are
/// joined below a node of their own, and taken apart again.
class TopologyEditor : public QWidget {
    Q_OBJECT

public:
    explicit TopologyEditor(EditedJson* document, QWidget* parent = nullptr);
    void setProblems(const Problems& problems);

    /// The selected rows, which must lie in one node, get a node of their own.
    void joinSelected();
    /// The selected node's members move up into the node above it.
    void takeApart();
    QTreeWidget* tree() const { return tree_; }
    void setTree(bool tree);

private:
    void refresh();
    void add(const Json& node, const JsonPath& path, QTreeWidgetItem* parent);
    void showCurrent();
    QToolButton* button(const QString& icon, const QString& title);

    EditedJson* document_;
    QComboBox* shape_;
    QTreeWidget* tree_;
    QWidget* details_;
    QuantityField *rate_, *latency_;
    QToolButton *join_, *apart_;
    QLabel* reason_;
};

}  // namespace tessera::ui
